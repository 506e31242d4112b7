import { entry, toOperation } from '../../api/entry.ts';
import { id } from '../../core/arguments.ts';
import { InvalidArgumentError } from '../../core/errors.ts';
import { checkArgument, type Reader, ShapeError } from '../../core/schema.ts';
import type { RequestOptions } from '../../http/operation.ts';
import type { MessagingContext, MessagingMethods } from '../dialect.ts';
import { newTag, type Tag, tagByAdmin } from '../tags.ts';
import { readWholeList, sizeOf, toTags } from './answers.ts';

/**
 * Throws `InvalidArgumentError` for tags that Zendesk would make several of: it splits them at spaces and commas.
 * Source: zendesk/zendesk_api_client_rb#156, read 2026-11-27.
 */
export const assertTags = (operation: string, tags: unknown, field = 'tags'): void => {
  const texts = [tags].flat().filter((tag) => typeof tag === 'string');
  const whole = texts
    .find((tag) => /[\s,]/.test(tag))
    ?.trim()
    .replaceAll(/[\s,]+/g, '_');
  if (whole === undefined) return;
  throw new InvalidArgumentError(field, `must have no spaces and commas in Zendesk: use ${whole}`, { operation });
};

/** The tag as the record has it now. */
const attachedTag =
  (tag: string): Reader<Tag> =>
  (answer) => {
    const { tags } = Object(answer) as { readonly tags?: unknown };
    const own = Array.isArray(tags)
      ? tags.find((one): one is string => typeof one === 'string' && one.toLowerCase() === tag.toLowerCase())
      : undefined;
    if (own === undefined) throw new ShapeError('tags', 'must have the tag that was attached');
    return { id: own, name: own };
  };

export const tagsAnswer = (answer: unknown): unknown => {
  const tags: unknown = Object(answer).tags;
  if (!Array.isArray(tags)) return answer;
  const data = toTags(tags.map((tag: unknown) => (typeof tag === 'string' ? tag : Object(tag).name)));
  return { data, ...sizeOf(answer) };
};

/** Attaches and detaches the tags of a record. Its tags are a list of words. */
export const tagMethods = ({ http }: MessagingContext, operation: string, path: string) => ({
  attach: async (recordId: string, tag: { readonly tagId: string }, call?: RequestOptions): Promise<Tag> => {
    assertTags(`${operation}.attach`, Object(tag).tagId, 'tagId');
    const addition = entry({
      method: 'PUT',
      path,
      takes: tagByAdmin,
      body: ({ tagId }) => ({ tags: [tagId] }),
      withoutKeys: 'again',
      returns: attachedTag(tag.tagId),
    });
    return http.request(toOperation(`${operation}.attach`, addition, [recordId, { adminId: unused, ...tag }]), call);
  },
  detach: async (recordId: string, tagId: string, call?: RequestOptions): Promise<void> => {
    const tags = [checkArgument(`${operation}.detach`, id, tagId, 'tagId')];
    const removal = entry({
      method: 'DELETE',
      path,
      body: () => ({ tags }),
      withoutKeys: 'again',
      returns: () => undefined,
    });
    return http.request(toOperation(`${operation}.detach`, removal, [recordId]), call);
  },
});

/** Zendesk isn't told who tags. */
const unused = '0';

/** Tags of the account. */
export const accountTagMethods = (context: MessagingContext): MessagingMethods => ({
  tags: {
    list: (call) => readWholeList(context, 'messaging.tags.list', context.endpoints.tags.list, { call }),
    // A tag is a word: it's there as soon as something has it.
    create: async (tag) => {
      const { name } = checkArgument('messaging.tags.create', newTag, tag);
      assertTags('messaging.tags.create', name, 'name');
      return { id: name, name };
    },
  },
});
