import { afterEach, describe, expect, test, vi } from 'vitest';
import { undiciTransport } from '../../../src/http/transport/undici.ts';
import { failureOf } from '../../support/connect.ts';
import { held, startFaultServer } from '../../support/fault-server.ts';
import { startMute } from '../../support/mute-server.ts';
import { networkSummary } from '../../support/network-summary.ts';
import { aRequest } from '../../support/request.ts';

// In a file of its own: undici's timers don't outlive faked ones.

/** Sockets work in real time. */
const fakeTimers = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });

afterEach(() => void vi.useRealTimers());

describe('a connection on transport/undici', () => {
  test('that takes too long has sent nothing', async () => {
    using mute = await startMute();
    fakeTimers();
    const transport = undiciTransport();
    // The other end never begins the handshake of TLS.
    const end = failureOf(transport(aRequest({ url: `https://${mute.host}/`, method: 'POST', body: '{}' })));
    await mute.connected;
    await vi.advanceTimersByTimeAsync(2_000);
    const error = await end;
    expect(networkSummary(error)).toEqual({ reason: 'network', networkCode: 'ETIMEDOUT', outcome: 'not_sent' });
    expect(error.message).toBe('messaging.contacts.get: no connection could be made within 2000 ms (ETIMEDOUT)');
  });

  test('that is open has the time of the attempt, and no other limit', async () => {
    const later = held({ body: '"late"' });
    await using server = await startFaultServer(later.reply);
    fakeTimers();
    const end = undiciTransport()(aRequest({ url: server.origin }));
    await server.request(1);
    await vi.advanceTimersByTimeAsync(60_000);
    later.release();
    expect((await end).text).toBe('"late"');
  });
});
