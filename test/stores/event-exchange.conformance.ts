import { describe, expect, test } from 'vitest';
import type { EventExchange } from '../../src/stores/ports/event-exchange.ts';
import { createEventWaits } from '../../src/webhooks/event-waits.ts';

/** The exchange of the process where an event arrives, and that of the one where a caller waits; perhaps the same. */
export interface ExchangesUnderTest {
  readonly there: EventExchange;
  readonly here: EventExchange;
}

/** What every event exchange must do, whatever it is made of. */
export const eventExchangeConformance = (name: string, open: () => Promise<ExchangesUnderTest>): void => {
  const using = async (work: (exchanges: ExchangesUnderTest) => Promise<void>) => {
    const exchanges = await open();
    try {
      await work(exchanges);
    } finally {
      await exchanges.here.close();
      await exchanges.there.close();
    }
  };

  const keepMs = 60_000;

  describe(`${name} as an event exchange`, () => {
    test('hands an event to all that wait for it', () =>
      using(async ({ there, here }) => {
        const both = [1, 2].map(() => nextEvent(here, 'pay_1'));

        await there.post('pay_1', { status: 'paid', list: [1, null] }, { keepMs });

        expect(await Promise.all(both.map(({ event }) => event))).toEqual([
          { status: 'paid', list: [1, null] },
          { status: 'paid', list: [1, null] },
        ]);
      }));

    test('keeps an event for who begins to wait later, who sees it once', () =>
      using(async ({ there, here }) => {
        await there.post('pay_1', 'first', { keepMs });
        expect(await nextEvent(here, 'pay_1').event).toBe('first');

        const again = nextEvent(here, 'pay_1');
        await there.post('pay_1', 'second', { keepMs });
        expect(await again.event).toBe('second');
      }));

    test('keeps the last of several events', () =>
      using(async ({ there, here }) => {
        await there.post('pay_1', 'first', { keepMs });
        await there.post('pay_1', 'second', { keepMs });

        expect(await nextEvent(here, 'pay_1').event).toBe('second');
      }));

    test('calls no listener of another key, nor one that has stopped', () =>
      using(async ({ there, here }) => {
        const received: unknown[] = [];
        here.watch('pay_2', (event) => received.push(event));
        const stop = here.watch('pay_1', (event) => received.push(event));
        const other = nextEvent(here, 'pay_1');
        stop();

        await there.post('pay_1', 'paid', { keepMs });

        expect(await other.event).toBe('paid');
        expect(received).toEqual([]);
      }));

    test('ends the wait of a phone call', () =>
      using(async ({ there, here }) => {
        const arriving = createEventWaits<{ readonly id: string }>({ exchange: there });
        const waiting = createEventWaits<{ readonly id: string }>({ exchange: here });
        const wait = waiting.waitForEvent({ key: 'pay_1', deadline: 60_000 });

        await arriving.arrived('pay_1', { id: 'pay_1' });

        expect(await wait).toEqual({ id: 'pay_1' });
        expect(waiting.waiting()).toBe(0);
      }));
  });
};

const nextEvent = (exchange: EventExchange, key: string) => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const unwatch = exchange.watch(key, resolve);
  return { event: promise.finally(unwatch) };
};
