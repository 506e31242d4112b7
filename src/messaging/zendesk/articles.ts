import type { EntryOverrides } from '../../api/entry.ts';
import { htmlToText } from '../../core/html.ts';
import type { MessagingEndpoints } from '../dialect.ts';
import { type Fields, one, several } from './answers.ts';

/** A search marks the words that it found, with tags of HTML. */
const toArticle = ({ html_url, draft, locale, snippet, ...article }: Fields): object => ({
  ...article,
  snippet: typeof snippet === 'string' ? htmlToText(snippet) : undefined,
  url: html_url,
  state: draft === true ? 'draft' : 'published',
  default_locale: locale,
});

/** Articles of the help center. Without one, the account has no such address. */
export const zendeskArticles: EntryOverrides<MessagingEndpoints['articles']> = {
  get: { path: 'help_center/articles/{id}.json', answer: one('article', toArticle) },
  search: {
    path: 'help_center/articles/search.json',
    query: ({ phrase, helpCenterId }) => ({ query: phrase, brand_id: helpCenterId }),
    answer: several('results', toArticle),
  },
};
