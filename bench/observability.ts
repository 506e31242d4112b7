import { pino } from 'pino';
import { createMetrics, logTo, type EventListeners } from 'voice-agent-integrations';
import { bearer } from 'voice-agent-integrations/auth';
import { createMessagingClient } from 'voice-agent-integrations/messaging';
import { openTelemetry } from 'voice-agent-integrations/observability/opentelemetry';
import { createEmitter, within } from '../src/observability/emitter.ts';
import { contact } from './answers.ts';
import type { Subject } from './measure.ts';
import { registerOpenTelemetry } from './open-telemetry.ts';
import { heading, spread, table } from './report.ts';
import { type Extent, type Figure, figuresOf } from './run.ts';
import { startServer } from './start-server.ts';

/** What listening costs: a call over loopback with each listener, relative to one without, and the emitting alone. */
export const measureObservability = async (extent: Extent): Promise<readonly Figure[]> => {
  using server = await startServer();
  await using _sdk = registerOpenTelemetry();
  return await figuresOf(subjects(server.baseUrl), { ...extent, concurrencies: [16] });
};

export const observabilityReport = (figures: readonly Figure[], command: string): string =>
  [
    heading(command),
    'CPU of the whole client process, per call: median [lowest–highest] over the rounds.',
    '',
    '### A GET over loopback, and who listens',
    '',
    table(
      ['', 'CPU per call, µs', 'to a call without a listener', 'bound'],
      figures.map(({ subject, cpuUs, toFirst }) => [
        subject,
        spread(cpuUs, 1),
        spread(toFirst, 3),
        bounds[subject] ?? '',
      ]),
    ),
    '',
  ].join('\n');

const withoutListener = 'its events, without a listener';
const toLog = 'its events, to pino at info';

const toBoth = 'its events, to OpenTelemetry and to pino at info';

const bounds: Readonly<Record<string, number>> = { [withoutListener]: 0.01, [toLog]: 0.15, [toBoth]: 0.15 };

/**
 * Emitting is measured alone, and compared with the call that would emit, since the difference of two calls is smaller
 * than their noise. The lowest round of each counts: noise only adds.
 */
export const observabilityGate = (figures: readonly Figure[], print: (line: string) => void): boolean => {
  const lowest = (subject: string | undefined) =>
    figures.find((figure) => figure.subject === subject)?.cpuUs.lowest ?? Number.NaN;
  const judged = Object.entries(bounds).map(([subject, bound]) => {
    const share = lowest(subject) / lowest(figures[0]?.subject);
    print(`${subject}: ${(100 * share).toFixed(2)} % of a call; the gate is ${100 * bound} %`);
    return share <= bound;
  });
  return judged.every(Boolean);
};

const subjects = (baseUrl: string): readonly Subject[] => {
  const log = () => logTo(pino({}, nowhere));
  const debugLog = () => logTo(pino({ level: 'debug' }, nowhere));
  return [
    { name: 'call without a listener', call: callAt(baseUrl) },
    { name: 'call, logged by pino at info', call: callAt(baseUrl, [log()]) },
    { name: 'call, followed by OpenTelemetry and logged', call: callAt(baseUrl, [openTelemetry(), log()]) },
    { name: 'call, with metrics', call: callAt(baseUrl, [createMetrics().onEvent]) },
    { name: withoutListener, call: telling() },
    { name: 'its events, to a listener that does nothing', call: telling([() => {}]) },
    { name: toLog, call: telling([log()]) },
    { name: 'its events, to OpenTelemetry', call: telling([openTelemetry()]) },
    { name: toBoth, call: telling([openTelemetry(), log()]) },
    { name: 'its events, to pino at debug', call: telling([debugLog()]) },
    { name: 'its events, to metrics', call: telling([createMetrics().onEvent]) },
  ];
};

const nowhere = { write: () => {} };

/** The two spans and three events of a call that succeeds at once, each made only if a listener wants it. */
const telling = (onEvent?: EventListeners): Subject['call'] => {
  const emitter = createEmitter(onEvent, { api: 'messaging' });
  const callId = 'CA123';
  const operation = 'messaging.contacts.get';
  return async () => {
    const call = emitter.startSpan({ type: 'call', operation });
    within(call, () => {
      const attempt = emitter.startSpan({ type: 'attempt', operation, attempt: 1, method: 'GET', url });
      within(attempt, () => {
        emitter.hide(secrets);
        if (emitter.hasListeners())
          emitter.emit({ type: 'credential-used', attempt: 1, state: 'same', credential: 'bearer', operation, callId });
        attempt?.send((headers) => headers);
      });
      const waits: never[] = [];
      if (emitter.hasListeners())
        emitter.emit(
          { type: 'attempt', operation, attempt: 1, durationMs: 2.5, waits, callId, status: 200, requestId },
          attempt,
        );
    });
    if (emitter.hasListeners()) emitter.emit({ type: 'call', ...ended, operation, callId }, call);
  };
};

const secrets: readonly string[] = ['a-token-of-twenty-characters'];

const url = 'http://127.0.0.1:8080/contacts/6762f0d51bb69f9f2193bb7f';

const requestId = '7b1f2c1e-52a2-4d8e-9a66-0a4e7d1c9f10';

const ended = {
  attempts: 1,
  durationMs: 2.6,
  deadlineMs: 8_000,
  deadlineLeftMs: 7_997,
  outcome: 'ok',
  status: 200,
} as const;

const callAt = (baseUrl: string, onEvent?: EventListeners): Subject['call'] => {
  const messaging = createMessagingClient({
    baseUrl,
    authenticate: bearer(() => 'test-token'),
    platform: 'Acme',
    version: '2.11',
    rateLimit: { limit: 20_000, perMs: 50 },
    ...(onEvent && { onEvent }),
  });
  return () => messaging.contacts.get(contact.id, { callId: 'CA123' });
};
