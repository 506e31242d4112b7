import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ann, type FakeSystems, startFakeSystems } from './fake-systems.ts';
import type { Offline, StartOffline } from './offline.ts';

export interface Backend {
  readonly name: string;
  readonly start: StartOffline;
  /** The statuses with which forged requests are refused; none where no request comes from outside. */
  readonly forged: readonly number[];
}

const caller = { callId: 'CA1', phone: ann.phone };
const paid = [{ invoice_id: 'inv_1', amount: 120.5, status: 'completed' }];
const nothing = { payments: [], conversations: [], replies: [], tasks: [] };

/** What must hold for a backend on any framework. */
export const describeBackend = ({ name, start, forged }: Backend) => {
  describe(name, () => {
    let systems: FakeSystems;
    let backend: Offline;

    beforeEach(async ({ onTestFailed }) => {
      systems = await startFakeSystems();
      backend = await start(systems.env);
      onTestFailed(() => console.error(`The backend printed:\n${backend.printed()}`));
    });
    afterEach(async () => {
      await backend[Symbol.asyncDispose]();
      await systems[Symbol.asyncDispose]();
    });

    /** Stops the backend: what it still has to write is written then, and nothing is after it. */
    const writtenInTheEnd = async (phoneCalls: number) => {
      await systems.finished(phoneCalls);
      expect(await backend.stop()).toBe(0);
      return systems.written();
    };

    test('a caller learns what is owed, pays it, and the call is written down once', async () => {
      const line = await backend.ring(caller);

      expect(await line.say('What do I owe you?')).toBe(
        'Hello Ann Lee. You have 1 open invoice, 120.5 dollars in all. Shall I charge 120 US dollars and 50 cents to the card on file?',
      );
      expect(systems.written().payments).toEqual([]);
      expect(await line.say('Yes, please pay it.')).toMatch(/^That is paid\. The confirmation number is \S+\.$/);
      expect(await line.say('Goodbye.')).toBe('Goodbye.');
      await line.hangUp();

      const { payments, conversations, replies, tasks } = await writtenInTheEnd(1);
      expect(payments).toEqual(paid);
      expect(conversations).toHaveLength(1);
      expect(conversations[0]).toMatch(/Caller: Yes, please pay it\.\n(.*\n)*Agent: That is paid\./);
      expect(replies).toEqual([]);
      expect(tasks).toEqual([expect.objectContaining({ who: '003000000000001' })]);
      expect(tasks[0]?.description).toContain('What do I owe you?');
      expect(line.dialogue().join(' ')).not.toMatch(/cus_ann|pm_visa|inv_1|\+1415/);
    });

    test('a payment whose answer is lost, and that the caller asks for again, is made once', async () => {
      systems.platform.fault('billing.payments.create', [{ executeThenDrop: true }]);
      const line = await backend.ring(caller);
      await line.say('What do I owe you?');

      const first = await line.say('Yes, please pay it.');
      expect(await line.say('Was it paid? If not, pay it.')).toBe(first);

      expect(systems.written().payments).toEqual(paid);
    });

    test('a line that breaks in the middle of a call leaves the same behind, once', async () => {
      const line = await backend.ring(caller);
      await line.say('What do I owe you?');
      line.drop();

      const { payments, conversations, tasks } = await writtenInTheEnd(1);
      expect(payments).toEqual([]);
      expect(conversations).toEqual([expect.stringContaining('Caller: What do I owe you?')]);
      expect(tasks).toHaveLength(1);
    });

    test('a system that is down is said as it is, and the call goes on', async () => {
      systems.platform.fault('billing', [{ status: 503, times: Infinity }]);
      const line = await backend.ring(caller);

      expect(await line.say('What do I owe you?')).toBe(
        'Hello Ann Lee. I cannot see your invoices right now. Shall someone call you back?',
      );
      expect(await line.say('Goodbye.')).toBe('Goodbye.');
    });

    test('a call during which the backend is stopped is written down, at the latest when it runs again', async () => {
      const line = await backend.ring(caller);
      await line.say('What do I owe you?');

      expect(await backend.stop()).toBe(0);

      await using again = await start(systems.env);
      if (line.goOnAt && again.port !== undefined) {
        line.goOnAt(again.port);
        await line.hangUp();
      }
      await systems.finished(1);
      expect(await again.stop()).toBe(0);
      const { conversations, tasks } = systems.written();
      expect(conversations).toEqual([expect.stringContaining('Caller: What do I owe you?')]);
      expect(tasks).toHaveLength(1);
    });

    if (forged.length > 0) {
      test('who is not the platform is refused, and nothing happens', async () => {
        const before = systems.platform.requests.length;

        expect(await backend.forge()).toEqual(forged);

        expect(systems.written()).toEqual(nothing);
        expect(systems.platform.requests.slice(before)).toEqual([]);
      });
    }
  });
};
