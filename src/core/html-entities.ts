/**
 * A text with the signs that its entities mean, each read once: `&amp;lt;` is `&lt;`. Knows the names of HTML 4, letters
 * with accents and ASCII punctuation; other names stay as they are. A soft hyphen is nothing, a fixed space a space.
 */
export const decodeEntities = (text: string): string =>
  text.includes('&')
    ? text
        .replace(/&(?:#(?:x([\da-f]+)|(\d+));?|([a-z][a-z\d]*)(;|(?![\w=])))/gi, decode)
        .replaceAll('\u00a0', ' ')
        .replaceAll('\u00ad', '')
        // Half of a sign that was written as two numbers, without its other half.
        .replace(/\p{Surrogate}/gu, '\ufffd')
    : text;

const decode = (entity: string, hex?: string, decimal?: string, name?: string, end?: string): string => {
  if (name === undefined) return byNumber(hex ? Number.parseInt(hex, 16) : Number(decimal)) ?? entity;
  const sign = signs().get(name) ?? letter(name) ?? (/[a-z]/.test(name) ? undefined : signs().get(name.toLowerCase()));
  if (sign === undefined) return entity;
  // HTML ends the oldest names without a semicolon too.
  return end === ';' || (sign >= '\u00a0' && sign <= '\u00ff') || /^(?:amp|lt|gt|quot)$/i.test(name) ? sign : entity;
};

/** The numbers 128 to 159 are meant as those of windows-1252, says the HTML standard, "numeric character reference end state". */
const byNumber = (code: number): string | undefined => {
  if (code >= 128 && code < 160) return windows1252[code - 128];
  return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : undefined;
};

const windows1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** A letter with an accent, such as `eacute` or `Ccaron`. */
const letter = (name: string): string | undefined => {
  const accent = Object.hasOwn(accents, name.slice(1)) ? accents[name.slice(1)] : undefined;
  const composed = accent && (name[0] + accent).normalize('NFC');
  return composed?.length === 1 ? composed : undefined;
};

const pairs = (list: string): readonly (readonly [string, string])[] =>
  list.split(' ').map((pair) => [pair.slice(0, -1), pair.slice(-1)]);

const accents: Readonly<Record<string, string>> = {
  grave: '\u0300',
  acute: '\u0301',
  circ: '\u0302',
  tilde: '\u0303',
  macr: '\u0304',
  breve: '\u0306',
  uml: '\u0308',
  ring: '\u030a',
  dblac: '\u030b',
  caron: '\u030c',
  cedil: '\u0327',
  ogon: '\u0328',
};

/** Names in the order of their signs. */
const from = (first: string, names: string): readonly (readonly [string, string])[] =>
  names.split(' ').map((name, at) => [name, String.fromCodePoint((first.codePointAt(0) ?? 0) + at)]);

/** Made for the first entity: most answers have none. */
let made: ReadonlyMap<string, string> | undefined;
const signs = (): ReadonlyMap<string, string> => (made ??= makeSigns());

const makeSigns = (): ReadonlyMap<string, string> =>
  new Map([
    ...from(
      '\u00a0',
      'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest',
    ),
    ...from('Α', 'Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho'),
    ...from('Σ', 'Sigma Tau Upsilon Phi Chi Psi Omega'),
    ...from('α', 'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf'),
    ...from('σ', 'sigma tau upsilon phi chi psi omega'),
    ...pairs(
      'AEligÆ aeligæ OslashØ oslashø OEligŒ oeligœ ETHÐ ethð THORNÞ thornþ szligß Lstrok\u0141 lstrok\u0142 imath\u0131',
    ),
    ...pairs(
      `quot" amp& lt< gt> apos' excl! num# dollar$ percnt% lpar( rpar) ast* plus+ comma, period. sol/ colon: semi;`,
    ),
    ...pairs(
      'equals= quest? commat@ lsqb[ bsol\\ rsqb] Hat^ lowbar_ grave` lbrace{ lcub{ vert| verbar| rbrace} rcub} Tab\t NewLine\n',
    ),
    ...pairs(
      'ensp\u2002 emsp\u2003 thinsp\u2009 zwnj\u200c zwj\u200d lrm\u200e rlm\u200f ndash– mdash— hyphen‐ dash‐ lsquo‘ rsquo’',
    ),
    ...pairs(
      'sbquo‚ ldquo“ rdquo” bdquo„ lsaquo‹ rsaquo› bull• hellip… dagger† Dagger‡ permil‰ prime′ Prime″ oline‾ frasl⁄',
    ),
    ...pairs(
      'euro€ trade™ fnofƒ circˆ tilde˜ times× divide÷ minus− lowast∗ larr← uarr↑ rarr→ darr↓ harr↔ crarr↵ lArr⇐ uArr⇑',
    ),
    ...pairs(
      'rArr⇒ dArr⇓ hArr⇔ check✓ cross✗ forall∀ part∂ exist∃ empty∅ nabla∇ isin∈ notin∉ ni∋ prod∏ sum∑ radic√ prop∝ infin∞',
    ),
    ...pairs(
      'ang∠ and∧ or∨ cap∩ cup∪ int∫ there4∴ sim∼ cong≅ asymp≈ ne≠ equiv≡ le≤ ge≥ sub⊂ sup⊃ nsub⊄ sube⊆ supe⊇ oplus⊕ otimes⊗',
    ),
    ...pairs(
      'perp⊥ sdot⋅ lceil⌈ rceil⌉ lfloor⌊ rfloor⌋ lang⟨ rang⟩ loz◊ spades♠ clubs♣ hearts♥ diams♦ starf★ star☆ numero№',
    ),
    ...pairs('thetasym\u03d1 upsih\u03d2 piv\u03d6 image\u2111 weierp\u2118 real\u211c alefsym\u2135'),
  ]);
