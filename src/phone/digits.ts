/** A text in its usual signs (NFKC), with the digits of every script as 0 to 9: `＋１`, `٤`, `४`. */
export const withUsualDigits = (text: string): string =>
  /^[\0-\x7f]*$/.test(text) ? text : text.normalize('NFKC').replace(/(?![0-9])\p{Nd}/gu, valueOf);

/** The digits of a text, one after the other. */
export const digitsIn = (text: string): string => withUsualDigits(text).replaceAll(/\D/g, '');

/** Unicode keeps the ten digits of a script next to each other, zero first (The Unicode Standard, 4.6). */
const valueOf = (digit: string): string => {
  const code = digit.codePointAt(0) ?? 0;
  let before = 0;
  while (/^\p{Nd}$/u.test(String.fromCodePoint(code - before - 1))) before += 1;
  return String(before % 10);
};
