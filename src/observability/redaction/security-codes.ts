import { bareWord } from './number-words.ts';
import { gaps, type Group, isFiller } from './dictation.ts';

/** Returns whether the text has words for the security code of a card. */
export const mayHoldSecurityCode = (text: string): boolean => certainName.test(text) || likelyName.test(text);

/**
 * Finds the security codes (CVV) of cards: three or four digits next to such a word, in front of it or after it. Three
 * digits right after a card and its date count too. "Security code" counts only if the text is about a card.
 */
export const securityCodesIn = (
  text: string,
  groups: readonly Group[],
  cards: readonly (readonly Group[])[],
): readonly Group[] => {
  const ofCards = new Set(cards.flat());
  const isFree = (code: readonly Group[]): boolean => code.every((group) => !ofCards.has(group));
  const names = cards.length > 0 || isAboutCard.test(text) ? anyName : certainNames;
  let next = 0;
  const named = Array.from(text.matchAll(names), ({ 0: name, index: start }) => {
    const end = start + name.length;
    while (next < groups.length && (groups[next]?.start ?? 0) < start) next += 1;
    let after = next;
    while (after < groups.length && (groups[after]?.start ?? 0) < end) after += 1;
    return [codeAfter(text, groups, end, after), codeBefore(text, groups, start, next - 1)].find(
      (code) => code.length > 0 && isFree(code),
    );
  });
  const places = new Map(groups.map((group, index) => [group, index]));
  const following = cards.map((card) => {
    const last = card.at(-1);
    const code = last ? codeAfterCard(text, groups, (places.get(last) ?? 0) + 1) : [];
    return isFree(code) ? code : [];
  });
  return [...named.flatMap((code) => code ?? []), ...following.flat()];
};

const certain =
  '(?<!\\p{L})(?:c[. ]{0,2}v[. ]{0,2}[vc2]|cvn|cryptogramme(?: visuel)?)(?:[. -]{0,2}2(?!\\d))?(?!\\p{L})';
const likely = `(?<!\\p{L})(?:${[
  '(?:card )?security (?:code|number|digits)|card verification(?: code| number| value)?|verification (?:code|number)|csc|cid',
  '(?:three|3|four|4)[ -]digit (?:code|number)|(?:code|numbers?|digits) (?:on|from|at) the (?:back|front|reverse)',
  '(?:drei|3|vier|4) (?:ziffern|zahlen) (?:hinten|auf)|(?:tres|3) (?:n[uú]meros|d[ií]gitos|cifras) (?:de|del|al|por) (?:atr[aá]s|detr[aá]s|dorso|reverso)',
  '(?:tre|3) (?:cifre|numeri) (?:sul|dietro|nel)|(?:tr[eê]s|3) (?:n[uú]meros|d[ií]gitos) (?:no|do|de) (?:verso|tr[aá]s)',
  '(?:karten)?pr[uü]f(?:ziffern?|nummer|zahl|code)|sicherheits(?:code|nummer|zahl|ziffern?)',
  '(?:c[oó]digo|clave|n[uú]mero) de (?:seguridad|verificaci[oó]n)',
  '(?:code|num[eé]ro|chiffres) (?:au|du|sur le) (?:dos|verso)|(?:code|num[eé]ro) de (?:s[eé]curit[eé]|v[eé]rification)',
  'codice di (?:sicurezza|verifica|controllo)|c[oó]digo de (?:seguran[cç]a|verifica[cç][aã]o)',
  '(?:beveiligings|veiligheids|controle)code|kod bezpiecze[nń]stwa|код\\p{L}* безопасности|защитн\\p{L}+ код\\p{L}*',
  's[aä]kerhetskod|g[uü]venlik kodu',
].join('|')})(?!\\p{L})`;
const certainName = new RegExp(certain, 'iu');
const certainNames = new RegExp(certain, 'giu');
const likelyName = new RegExp(likely, 'iu');
const anyName = new RegExp(`${certain}|${likely}`, 'giu');

const isAboutCard =
  /(?<!\p{L})(?:(?:credit|debit|kredit|bank|debet)?[ -]?(?:cards?|karten?|kaart)|tarjetas?|cartes?|cart[aã]o|carta|cart[ae] di|visa|mastercard|amex|american express|karta|карт[аыу])(?!\p{L})|\*{4}/iu;

const codeAfter = (text: string, groups: readonly Group[], from: number, first: number): readonly Group[] => {
  const group = groups[first];
  if (!group || group.start - from > furthest || !leadsTo(text.slice(from, group.start))) return [];
  const code = [group];
  for (let next = groups[first + 1]; next && next.gap <= gaps.fillers; next = groups[first + code.length]) {
    if (lengthOf(code) + next.digits.length > 4) break;
    code.push(next);
  }
  return isCode(code) ? code : [];
};

const codeBefore = (text: string, groups: readonly Group[], to: number, last: number): readonly Group[] => {
  const group = groups[last];
  if (!group || to - group.end > furthest) return [];
  const between = text.slice(group.end, to);
  const isSaid = wordsIn(between).some((word) => copulas.has(word)) && leadsTo(between);
  if (!isSaid && !/^[\s("'[–-]{0,4}$/.test(between)) return [];
  const code = [group];
  for (let at = last; at > 0 && (groups[at]?.gap ?? gaps.far) <= gaps.fillers; at -= 1) {
    const before = groups[at - 1];
    if (!before || lengthOf(code) + before.digits.length > 4) break;
    code.unshift(before);
  }
  // Without a word between them, four digits may be the end of a card, or a year.
  return isCode(code) && (isSaid || lengthOf(code) === 3) ? code : [];
};

/** After a card: its date, if it's there, and the code. */
const codeAfterCard = (text: string, groups: readonly Group[], after: number): readonly Group[] => {
  const isNext = (at: number): boolean => {
    const [before, group] = [groups[at - 1], groups[at]];
    if (!before || !group) return false;
    return (
      group.gap <= gaps.fillers || (group.start - before.end < furthest && leadsTo(text.slice(before.end, group.start)))
    );
  };
  let at = after;
  const [month = '', year = ''] = [groups[at]?.digits, groups[at + 1]?.digits];
  const isDate = /^(?:0?[1-9]|1[0-2])$/.test(month) && /^(?:20)?[2-4]\d$/.test(year);
  // As 1227 or 122027, or the year after the name of a month.
  const length = isDate ? 2 : /^(?:(?:0[1-9]|1[0-2])(?:20)?[2-4]\d|20[2-4]\d)$/.test(month) ? 1 : 0;
  if (length > 0 && isNext(at)) at += length;
  if (!isNext(at)) return [];
  const code: Group[] = [];
  for (
    let group = groups[at];
    group && (code.length === 0 || group.gap <= gaps.fillers);
    group = groups[at + code.length]
  ) {
    if (lengthOf(code) + group.digits.length > 3) break;
    code.push(group);
  }
  const end = code.at(-1)?.end ?? 0;
  const isOther =
    otherNumber.test(text.slice(end, end + 12)) || (at === after && groups[at + code.length]?.gap === gaps.plain);
  return lengthOf(code) === 3 && !isOther ? code : [];
};

/** An amount, or a longer number. */
const otherNumber = /^(?:[.,:/]\d|\s?(?:[€$£¥%]|eur|usd|gbp|dollar|pound|cent|euro|times|mal\b))/i;

const furthest = 160;

/** Only words that people say between the name of the code and the code. An agent's question may end before it. */
const leadsTo = (between: string): boolean => {
  // It's masked already.
  if (between.includes('***')) return false;
  const answer = between.slice(between.lastIndexOf('\n') + 1).replace(/^.{0,40}[:：]\s/, '');
  const isAnswer = answer.length < between.length;
  return (isAnswer || !/[.!?]\s/.test(between)) && wordsIn(answer).every((word) => leads.has(word) || isFiller(word));
};

const wordsIn = (text: string): readonly string[] => (text.match(/[\p{L}\p{M}]+/gu) ?? []).map(bareWord);

const lengthOf = (code: readonly Group[]): number => code.reduce((sum, { digits }) => sum + digits.length, 0);
const isCode = (code: readonly Group[]): boolean => lengthOf(code) === 3 || lengthOf(code) === 4;

const copulas: ReadonlySet<string> = new Set(
  'is are as ist sind als lautet es son como est sont comme e sao como sono zijn jest это'.split(' '),
);

const leads: ReadonlySet<string> = new Set(
  [
    ...copulas,
    'the my your his her for of on in at back front reverse this that was code number numbers digits card would be expires expiry',
    'expiration exp date valid until thru through cvv cvc three four der die das den dem mein meine dein ihr ihre auf fur von ruckseite',
    'hinten nummer karte kreditkarte war ziffern gultig bis ablaufdatum lauten el la los las mi su tu de del al dorso atras tarjeta',
    'numero codigo caduca vence valida hasta fecha le les mon ma mes votre sa son du au dos carte expire fin jusqu il mio mia suo della',
    'retro carta scade o a os as meu minha do da no verso cartao validade expira het mijn uw op achterkant kaart geldig tot verloopt',
    'c ce l van der dieser della dello kaart januari februari march april may june july august september october november december',
    'jan feb mar apr jun jul aug sep sept oct nov dec expiring expired januar februar marz mai juni juli oktober dezember janvier',
    'fevrier mars avril juin juillet aout septembre octobre novembre decembre enero febrero marzo abril mayo junio julio agosto',
    'septiembre octubre noviembre diciembre gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre january february',
    'moj moja na karty мой на карты',
  ].flatMap((words) => words.split(' ')),
);
