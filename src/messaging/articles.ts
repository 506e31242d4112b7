import { entry } from '../api/entry.ts';
import { id, text } from '../core/arguments.ts';
import type { RequestOptions } from '../http/operation.ts';
import * as z from '../core/schema.ts';
import { readList } from '../core/envelope.ts';
import { type Reader, readOptional, readRecord, type RecordList } from '../core/schema.ts';
import { htmlToText } from '../core/html.ts';
import { optionalText, optionalTime } from './fields.ts';

/** An article of the help center. Fields that aren't listed here are kept as they came. */
export interface Article {
  readonly id: string;
  readonly title?: string | null | undefined;
  readonly description?: string | null | undefined;
  /** The article as plain text: the platform's HTML without its markup, with the addresses of links in brackets. */
  readonly body?: string | null | undefined;
  /** The address at which customers read it. Empty while it isn't published. */
  readonly url?: string | null | undefined;
  /** `published` or `draft`. */
  readonly state?: string | null | undefined;
  readonly default_locale?: string | null | undefined;
  readonly created_at?: number | string | null | undefined;
  readonly updated_at?: number | string | null | undefined;
  readonly [field: string]: unknown;
}

/** A search in the help center. */
export interface ArticleQuery {
  /** Words of a question, such as `reset password`. */
  readonly phrase: string;
  /** Only this help center. @defaultValue all of the workspace */
  readonly helpCenterId?: string | undefined;
}

/** Reads the help center. Paths of the real platform; the default API doesn't have them. */
export interface Articles {
  /** The article, published or not; `undefined` when there's none with this id. */
  get(id: string, call?: RequestOptions): Promise<Article | undefined>;
  /**
   * The first page of the published articles that match, the best first. Drafts are never found.
   *
   * @example
   * const { data } = await messaging.articles.search({ phrase: 'reset password' });
   * console.log(data[0]?.title, data[0]?.url);
   */
  search(query: ArticleQuery, call?: RequestOptions): Promise<RecordList<Article>>;
}

const articleSchema = z.lazily<Article>(() =>
  z.object({
    id: z.readId(),
    title: optionalText(),
    description: optionalText(),
    body: optionalText(),
    url: optionalText(),
    state: optionalText(),
    default_locale: optionalText(),
    created_at: optionalTime(),
    updated_at: optionalTime(),
  }),
);

const article: Reader<Article> = (json, context) => {
  const read = readRecord(articleSchema, ['id'])(json, context);
  return typeof read.body === 'string' ? { ...read, body: htmlToText(read.body) } : read;
};

const articleQuery = z.lazily<ArticleQuery>(() => z.object({ phrase: text(), helpCenterId: z.optional(id()) }));

/** The operations on articles, as Intercom has them. */
export const articleEndpoints = {
  get: entry({ method: 'GET', path: 'articles/{id}', absentOn404: true, returns: readOptional(article) }),
  search: entry({
    method: 'GET',
    path: 'articles/search?state=published',
    takes: articleQuery,
    query: ({ phrase, helpCenterId }) => ({ phrase, help_center_id: helpCenterId }),
    // The list is one level below `data`, next to the highlights.
    answer: (answer) => {
      const { data, ...list } = Object(answer);
      return { ...list, data: Array.isArray(data) ? data : Object(data).articles };
    },
    returns: readList(article, { under: ['articles'] }),
  }),
};
