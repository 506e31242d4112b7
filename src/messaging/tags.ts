import { checkArgument } from '../core/schema.ts';
import { newTag } from './fields.ts';
import type { MessagingClient } from './client.ts';
import type { Workspace } from './workspace.ts';

/** The operations on tags. */
export const createTags = ({ methods }: Workspace): MessagingClient['tags'] => ({
  ...methods.tags,
  findByName: async (name, call) => {
    const operation = 'messaging.tags.findByName';
    const wanted = checkArgument(operation, newTag, { name }).name.trim().toLowerCase();
    const { data } = await methods.tags.list(call);
    return data.find((tag) => tag.name?.trim().toLowerCase() === wanted);
  },
});
