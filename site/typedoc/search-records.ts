import {
  Comment,
  type DocumentReflection,
  type IndexEvent,
  type Reflection,
  ReflectionKind,
  type Router,
} from 'typedoc';
import type { SearchRecord } from '../search/record.ts';
import { plain, sectionsOfPage } from '../search/sections.ts';
import { CodeHostSlugger } from './router.ts';

/**
 * Takes what typedoc would index, and returns what site/search/find.ts searches instead. `abouts` has what llms.txt says of
 * pages, by their addresses.
 */
export const takeSearchRecords = (
  event: IndexEvent,
  { router, abouts }: { router: Router; abouts: ReadonlyMap<string, string | undefined> },
): readonly SearchRecord[] => {
  const results = event.searchResults;
  event.searchResults = [];
  return results.flatMap((result): readonly SearchRecord[] => {
    const url = router.getFullUrl(result);
    if (result.isDocument()) return recordsOfPage(result, { url, about: abouts.get(url) });
    return result.kindOf(ReflectionKind.Constructor) || result.inheritedFrom ? [] : [recordOf(result, url)];
  });
};

const recordsOfPage = (
  { content, frontmatter, name }: DocumentReflection,
  { url, about }: { url: string; about: string | undefined },
): readonly SearchRecord[] => {
  const place = String(frontmatter['place']);
  const markdown = Comment.combineDisplayParts(content);
  const title = plain(/^# (.+)$/m.exec(markdown)?.[1] ?? name);
  // Its text is code.
  if (place.startsWith('examples/')) return [{ title, url, kind: 'page', weight: 0.1 }];
  const words = [title === name ? '' : title, about ?? ''].filter((part) => part !== '').join(': ');
  const slugger = new CodeHostSlugger({ lowercase: true });
  slugger.slug(title);
  return sectionsOfPage(markdown).map(({ heading, text, code }): SearchRecord => {
    if (heading === undefined)
      return {
        title: name,
        url,
        kind: 'page',
        about: words,
        text,
        code,
        ...rare(place === 'license' || isDecision(place)),
      };
    const address = `${url}#${slugger.slug(heading)}`;
    return { title: heading, place: name, url: address, kind: 'section', text, code, ...rare(isForFew(place)) };
  });
};

/** Its words are in all of the pages that more readers look for. */
const isForFew = (place: string) =>
  isDecision(place) ||
  ['changelog', 'migrating', 'architecture', 'contributing', 'tested', 'performance', 'license'].includes(place);

const isDecision = (place: string) => place.startsWith('decisions/0');

const rare = (isRare: boolean) => (isRare ? { weight: 0.2 } : {});

const recordOf = (reflection: Reflection, url: string): SearchRecord => {
  const { name, parent } = reflection;
  const isExport = reflection.kindOf(ReflectionKind.SomeExport | ReflectionKind.SomeModule);
  const place = parent && !parent.isProject() ? (isExport ? parent.getFullName() : parent.name) : undefined;
  const comment = reflection.comment ?? (reflection.isDeclaration() ? reflection.signatures?.[0]?.comment : undefined);
  // Of a link, only its words.
  const text = plain((comment?.getShortSummary(true) ?? []).map((part) => part.text).join(''));
  return {
    title: name,
    url,
    kind: isExport ? 'export' : 'member',
    ...(place && { place }),
    ...(text && { text }),
    ...rare(url.includes('/Other_types')),
  };
};
