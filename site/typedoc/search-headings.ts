import { Comment, type DocumentReflection, type IndexEvent } from 'typedoc';

/**
 * Finds a page first by what it is about and by its headings; its text counts less. Pages come before the exports that hold
 * the same words, since a reader who knows the name of an export types that.
 */
export const searchHeadings = ({ searchResults, searchFields, searchFieldWeights }: IndexEvent): void => {
  searchFieldWeights['headings'] = 10;
  for (const [index, result] of searchResults.entries()) {
    if (!result.isDocument()) continue;
    result.relevanceBoost = weightOf(String(result.frontmatter['place']));
    searchFields[index] = { ...searchFields[index], headings: headingsOf(result) };
  }
};

const weightOf = (place: string) => {
  if (place.startsWith('examples/')) return 1;
  return place.startsWith('decisions/') || place === 'changelog' ? 4 : 12;
};

const headingsOf = ({ frontmatter, content }: DocumentReflection) => {
  const headings = Comment.combineDisplayParts(content).matchAll(/^#{1,4} (.+)$/gm);
  return [frontmatter['summary'], ...[...headings].map(([, heading]) => heading)].join(' ');
};
