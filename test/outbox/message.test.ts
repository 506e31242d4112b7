import { expect, test } from 'vitest';
import { bodyForPeople } from '../../src/outbox/message.ts';

test('a body and a query are shown alike, without what concerns a person', () => {
  const shown = { id: 'CA1', email: '[text]' };

  expect(bodyForPeople('{"id":"CA1","email":"ada@example.com"}')).toEqual(shown);
  expect(bodyForPeople('id=CA1&email=ada%40example.com')).toEqual(shown);
});
