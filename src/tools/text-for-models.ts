/**
 * Text that came from elsewhere, fit to stand in a prompt: no control characters and no characters that turn the
 * direction of text or hide it, one line, and at most `maximumLength` UTF-16 units.
 */
export const textForModels = (text: string, maximumLength: number): string => {
  if (text.length <= maximumLength && !needsCleaning.test(text)) return text;
  // What is far beyond the limit is not worth cleaning.
  const clean = text
    .slice(0, maximumLength * 4)
    .toWellFormed()
    .replace(invisible, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return clean.length <= maximumLength ? clean : `${cut(clean, maximumLength - 1)}…`;
};

/** Most texts are plain ASCII on one line. */
const needsCleaning = /[^\x20-\x7e]| {2}|^ | $/;

/** Format characters: bidirectional marks and isolates, zero-width ones, tags (U+E0000), soft hyphens. */
const invisible = /[\p{Cf}\p{Co}]/gu;

/** Never through a character. */
const cut = (text: string, length: number) =>
  text.slice(0, (text.charCodeAt(length - 1) & 0xfc00) === 0xd800 ? length - 1 : length).trimEnd();
