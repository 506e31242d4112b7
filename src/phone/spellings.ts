/**
 * Countries in which one person's number has two spellings in E.164, both in use.
 * - Mexico: `1` before mobile numbers from abroad until August 2019 (twilio.com/en/guidelines/mx/sms).
 * - Argentina: `9` before mobile numbers from abroad; within the country `15` after the area code
 *   (github.com/AfterShip/phone/pull/125).
 * - Brazil: a ninth digit before mobile numbers since 2016 (github.com/chatwoot/chatwoot/pull/14264). Numbers with 7 were
 *   those of radio telephones, which got none: with 9 and 7 they are other people's.
 *
 * Pages read on 2026-11-27.
 */

/** A number as such a country writes it. */
export interface TwoSpellings {
  /** Each spelling in E.164. */
  readonly e164: readonly string[];
  /** Its usual forms, the most usual first. */
  readonly written: readonly string[];
}

/** The spellings of a number in E.164 with those of its country, if that has two. */
export const spellingsOf = (e164: string): TwoSpellings | undefined => {
  const mexican = /^\+521?(\d{10})$/.exec(e164)?.[1];
  if (mexican !== undefined) return mexicanForms(mexican);
  const argentinian = /^\+549?([1-8]\d{9})$/.exec(e164)?.[1];
  if (argentinian !== undefined) return argentinianForms(argentinian);
  const [, area, nine, number] = /^\+55([1-9]\d)(9?)(\d{8})$/.exec(e164) ?? [];
  return area === undefined || number === undefined ? undefined : brazilianForms(area, nine === '9', number);
};

const mexicanForms = (national: string): TwoSpellings => ({
  e164: [`+52${national}`, `+521${national}`],
  written: fill(mexican, groups(national, /^(?:33|55|56|81)/.test(national) ? 2 : 3)),
});

const argentinianForms = (national: string): TwoSpellings => ({
  e164: [`+549${national}`, `+54${national}`],
  written: (national.startsWith('11') ? [2] : [3, 4]).flatMap((size) => fill(argentinian, groups(national, size))),
});

const brazilianForms = (area: string, hasNine: boolean, number: string): TwoSpellings => {
  const isMobile = /^[689]/.test(number);
  const numbers = isMobile ? [`9${number}`, number] : [hasNine ? `9${number}` : number];
  return {
    e164: numbers.map((local) => `+55${area}${local}`),
    written: numbers.flatMap((local) => fill(brazilian, groups(area + local, 2))),
  };
};

/** `A` is the area code, `x` what follows it, `y` the last four digits. */
const mexican =
  '+52 A x y|+52 A xy|+52 Axy|+52 1 A x y|+52 1 Axy|+521 A x y|+52-A-x-y|+52-1-A-x-y|+52 (A) x y|52 A x y|044 A x y|044Axy|045 A x y|045Axy';

const argentinian =
  '+54 9 A x-y|+54 9 A x y|+54 9 Axy|+54 A x-y|+54 A x y|+54 Axy|+54 A 15 x-y|+54 A 15-x-y|0A 15 x-y|0A 15-x-y|0A15xy|(0A) 15 x-y|(0A) 15-x-y|0A x-y|0A-x-y|(0A) x-y|A 15 x-y|A 15-x-y|A15xy|(A) 15 x-y|A x-y|A x y|(A) x-y';

const brazilian =
  '(A) x-y|+55 A x-y|+55 (A) x-y|+55 A x y|+55 A xy|+55 Axy|A x-y|A x y|A xy|(A)x-y|(A) xy|0A x-y|(0A) x-y|55 A x-y';

interface Groups {
  readonly A: string;
  readonly x: string;
  readonly y: string;
}

const groups = (national: string, area: number): Groups => ({
  A: national.slice(0, area),
  x: national.slice(area, -4),
  y: national.slice(-4),
});

const fill = (templates: string, { A, x, y }: Groups): readonly string[] =>
  templates.split('|').map((template) => template.replace('A', A).replace('x', x).replace('y', y));
