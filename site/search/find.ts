import MiniSearch from 'minisearch';
import type { SearchRecord } from './record.ts';

/** A record for a query, and the words of it that were found. */
export interface Found {
  readonly record: SearchRecord;
  readonly terms: readonly string[];
}

/** Makes the search over these records: the best first, at most three of one page and three fields of one name. */
export const createFind = (records: readonly SearchRecord[]): ((query: string) => readonly Found[]) => {
  const index = new MiniSearch<SearchRecord & { id: number }>({
    fields: ['title', 'place', 'about', 'text', 'code'],
    tokenize: wordsOf,
    processTerm: normal,
  });
  index.addAll(records.map((record, id) => ({ ...record, id })));

  return (query) => {
    const options = {
      tokenize: queriedWordsOf,
      prefix: (word: string) => word.length > 1,
      fuzzy: (word: string) => (word.length > 4 ? 0.25 : false),
      weights: { prefix: 0.4, fuzzy: 0.1 },
      boost: { title: 6, place: 3, about: 10, text: 1, code: 0.3 },
      boostDocument: (id: number) => weightOf(records[id], query),
    };
    const withAll = index.search(query, { ...options, combineWith: 'AND' });
    const results = withAll.length > 0 ? withAll : index.search(query, options);
    const found = results.flatMap(({ id, terms }) => {
      const record = records[Number(id)];
      return record ? [{ record, terms }] : [];
    });
    return mixed(found).slice(0, 10);
  };
};

/** The words of a text, as they are indexed: a name such as `createIntegration` is also its parts. */
const wordsOf = (text: string): string[] =>
  queriedWordsOf(text).flatMap((word) =>
    /[a-z][A-Z]/.test(word) ? [word, ...word.split(/(?<=[a-z])(?=[A-Z])/)] : [word],
  );

const queriedWordsOf = (text: string): string[] => text.split(/[^\p{L}\p{N}$]+/u).filter((word) => word !== '');

/** A word without its ending, so that `retries` finds `retry`; nothing for one without a meaning. */
const normal = (word: string): string | undefined => {
  const lower = word.toLowerCase();
  if (withoutMeaning.has(lower)) return undefined;
  if (lower.length > 4 && lower.endsWith('ies')) return `${lower.slice(0, -3)}y`;
  return lower.replace(/(?<=\w{3}[^su])s$/, '').replace(/(?<=\w{3})(?:ing|ed|e)$/, '');
};

const withoutMeaning = new Set(
  'a an and are at be can do does for from how i in is it my of on or our that the this to use what when where which with your'.split(
    ' ',
  ),
);

const weightOf = (record: SearchRecord | undefined, query: string): number =>
  record ? (record.weight ?? 1) * weightOfKind[record.kind] * weightOfName(record, query) : 0;

/** A page comes before its sections, these before an export, an export before a field. */
const weightOfKind = { page: 4, section: 1.5, export: 0.6, member: 0.2 };

/** A reader who types a whole name wants what it names; `payment` is a word, `perCall` a field. */
const weightOfName = ({ title, kind }: SearchRecord, query: string): number => {
  if (title.toLowerCase() !== query.toLowerCase()) return 1;
  if (kind === 'page') return 100;
  if (kind === 'section' || title !== query) return 1;
  return kind === 'export' || /[^a-z]/.test(title) ? 60 : 2;
};

const mixed = (found: readonly Found[]): readonly Found[] => {
  const times = new Map<string, number>();
  return found.filter(({ record: { kind, title, url } }) => {
    const group = kind === 'member' ? title : (url.split('#')[0] ?? '');
    const before = times.get(group) ?? 0;
    times.set(group, before + 1);
    return before < 3;
  });
};

/** The places in a text of the words that were found. */
export const placesOf = (text: string, terms: readonly string[]): readonly (readonly [from: number, to: number])[] =>
  [...text.matchAll(/[\p{L}\p{N}$]+/gu)].flatMap(({ 0: word, index: from }) =>
    wordsOf(word).some((part) => terms.includes(normal(part) ?? '')) ? [[from, from + word.length] as const] : [],
  );

/** The part of a text around the first word that was found. */
export const excerptOf = (text: string, terms: readonly string[]): string => {
  const at = placesOf(text, terms)[0]?.[0] ?? 0;
  const from = at < 70 ? 0 : text.indexOf(' ', at - 50) + 1;
  const part = text.slice(from, from + longest);
  if (from + longest >= text.length) return `${from > 0 ? '… ' : ''}${part}`;
  return `${from > 0 ? '… ' : ''}${part.replace(/\s+\S*$/, '')} …`;
};

const longest = 150;
