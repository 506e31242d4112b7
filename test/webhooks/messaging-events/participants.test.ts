import { expect, test } from 'vitest';
import type { Conversation } from '../../../src/messaging/conversations.ts';
import { actorOf, contactIdsOf } from '../../../src/webhooks/messaging-events/messaging-events.ts';

/** As a platform may send it: more, less and other than the type says. */
const conversation = (fields: object) => ({ id: 'conv_1', ...fields }) as Conversation;

const ann = { type: 'user', id: 'contact_1' };
const bot = { type: 'bot', id: 7 };

test.each<[what: string, fields: object, created: object | undefined, replied: object | undefined]>([
  ['an author and no parts', { source: { author: ann } }, ann, ann],
  ['a part by another', { source: { author: ann }, parts: [{ author: bot }] }, ann, { type: 'bot', id: '7' }],
  ['a part with an admin alone', { parts: [{ admin_id: 'a' }] }, undefined, { type: 'admin', id: 'a' }],
  ['a part with no admin', { parts: [{ admin_id: null }] }, undefined, undefined],
  ['an author without type', { source: { author: { id: 'contact_1' } } }, undefined, undefined],
  ['an author of an odd type', { source: { author: { type: 1, id: 'contact_1' } } }, undefined, undefined],
  ['an author with an odd id', { source: { author: { type: 'user', id: true } } }, undefined, undefined],
  ['a name for an author', { source: { author: 'Ann' } }, undefined, undefined],
  ['a source without author', { source: {} }, undefined, undefined],
])('a conversation with %s was written by whom it names', (_what, fields, created, replied) => {
  const talk = conversation(fields);

  expect([actorOf('conversation.created', talk), actorOf('conversation.replied', talk)]).toEqual([created, replied]);
});

test.each<[what: string, fields: object, ids: readonly string[]]>([
  ['an envelope', { contacts: { type: 'contact.list', contacts: [{ id: 'a' }, { id: 'b' }] } }, ['a', 'b']],
  ['a list', { contacts: [{ id: 'a' }], contact_id: 'b' }, ['a', 'b']],
  ['one id', { contact_id: 'a' }, ['a']],
  ['nothing', {}, []],
  ['what is no contact', { contacts: [null, 'a', { id: 7 }, {}], contact_id: null }, []],
])('the contacts of a conversation come from %s', (_what, fields, ids) => {
  expect(contactIdsOf(conversation(fields))).toEqual(ids);
});
