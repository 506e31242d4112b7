import { text } from '../../core/arguments.ts';
import type { MessagingClient } from '../../messaging/index.ts';
import * as z from '../../core/schema.ts';
import { defineTool } from '../define-tool.ts';
import { startOfText } from './start-of-text.ts';
import type { Tool } from '../tool.ts';

const searchParameters = z.object({ words: text().check(z.maxLength(200), z.describe('Key words.')) });

/** Looks into the published articles of the help center. */
export const helpCenterTool = ({ articles }: Pick<MessagingClient, 'articles'>): Tool =>
  defineTool({
    name: 'search_help_center',
    description: 'Find answers in the help center.',
    parameters: searchParameters,
    effect: 'read',
    slowMessage: 'Let me look that up.',
    maxChars: 900,
    run: ({ words }, { request }) => articles.search({ phrase: words }, request),
    compact: ({ data, total }, { words }) => ({
      articles: data
        .slice(0, mostArticles)
        .map(({ title, body }) => ({ title: title ?? undefined, text: excerpt(body ?? '', words) || undefined })),
      more: total !== undefined && total > mostArticles ? total - mostArticles : undefined,
      message: data.length === 0 ? 'No article says anything about it: try other words.' : undefined,
    }),
  });

const mostArticles = 3;
const excerptLength = 220;

/** The part of an article with the most words of the question, from the beginning of a sentence that has one of them. */
const excerpt = (body: string, words: string): string => {
  const wanted = words
    .toLowerCase()
    .split(/\P{L}+/u)
    .filter((word) => word.length > 2);
  const countIn = (part: string) => wanted.filter((word) => part.toLowerCase().includes(word)).length;
  const starts = [0, ...Array.from(body.matchAll(/[.!?]\s+|\n+/g), (end) => end.index + end[0].length)];
  const parts = starts.map((start, index) => {
    const text = startOfText(body.slice(start, start + excerptLength), excerptLength);
    const sentence = body.slice(start, starts[index + 1]);
    return {
      text,
      isCut: start + text.length < body.length,
      score: 2 * countIn(text) + Math.min(1, countIn(sentence)),
    };
  });
  // Of equal ones the first.
  const { text, isCut } = parts.reduce((best, part) => (part.score > best.score ? part : best));
  if (!isCut) return text;
  const space = text.lastIndexOf(' ');
  return `${space > 0 ? text.slice(0, space) : text} …`;
};
