import { Comment, type DocumentReflection, type IndexEvent, ReflectionKind } from 'typedoc';

/**
 * Finds a page first by what it is about and by its headings; its text counts less. Pages come before the exports that hold
 * the same words, since a reader who knows the name of an export types that. Fields come last: many have the same name.
 */
export const searchHeadings = ({ searchResults, searchFields, searchFieldWeights }: IndexEvent): void => {
  searchFieldWeights['about'] = 50;
  searchFieldWeights['headings'] = 10;
  for (const [index, result] of searchResults.entries()) {
    if (!result.isDocument()) {
      if (!result.kindOf(ReflectionKind.SomeExport | ReflectionKind.SomeModule)) result.relevanceBoost = 0.05;
      continue;
    }
    const place = String(result.frontmatter['place']);
    result.relevanceBoost = weightOf(place);
    // What is said about an example is where it is.
    const about = place.startsWith('examples/') ? '' : String(result.frontmatter['summary']);
    searchFields[index] = { ...searchFields[index], about, headings: headingsOf(result) };
  }
};

const weightOf = (place: string) => {
  if (place.startsWith('examples/')) return 1;
  return place.startsWith('decisions/') || place === 'changelog' ? 2 : 12;
};

const headingsOf = ({ content }: DocumentReflection) => {
  const headings = Comment.combineDisplayParts(content).matchAll(/^#{1,4} (.+)$/gm);
  return [...headings].map(([, heading]) => heading).join(' ');
};
