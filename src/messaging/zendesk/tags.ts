import { InvalidArgumentError } from '../../core/errors.ts';
import type { Reader } from '../../core/schema.ts';
import { ShapeError } from '../../core/schema.ts';
import type { Tag } from '../tags.ts';

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
export const attachedTag =
  (tag: string): Reader<Tag> =>
  (answer) => {
    const { tags } = Object(answer) as { readonly tags?: unknown };
    const own = Array.isArray(tags)
      ? tags.find((one): one is string => typeof one === 'string' && one.toLowerCase() === tag.toLowerCase())
      : undefined;
    if (own === undefined) throw new ShapeError('tags', 'must have the tag that was attached');
    return { id: own, name: own };
  };
