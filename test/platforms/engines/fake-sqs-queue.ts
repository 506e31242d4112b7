import { createHash, randomUUID } from 'node:crypto';
import { setTimer } from '../../../src/core/timers.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** An error with the code that SQS gives it. */
export class SqsError extends Error {
  readonly code: string;
  readonly status: number;
  constructor(code: string, message: string, status = 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
  get isSenders(): boolean {
    return this.status < 500;
  }
}

/** One queue: what it holds, and what a consumer may do with it. Times are by `Date.now` and `setTimeout`. */
export interface FakeQueue {
  /** Returns the message's id; `undefined` for one that was sent within the last five minutes. */
  readonly send: (entry: Fields) => string | undefined;
  readonly receive: (input: Fields, gone: AbortSignal) => Promise<object>;
  readonly changeVisibility: (input: Fields) => object;
  readonly remove: (input: Fields) => object;
  /** What isn't deleted, in the order in which it was sent. */
  readonly bodies: () => readonly string[];
  readonly attributesOf: (index: number) => Fields | undefined;
  /** The next message is handed out twice, as a server may do that was down when the first receipt was noted. */
  readonly duplicateNext: () => void;
}

interface Stored {
  readonly id: string;
  readonly body: string;
  readonly attributes: Fields;
  readonly group: string;
  readonly sentAt: number;
  visibleAt: number;
  receives: number;
  firstReceivedAt: number;
  receivedAt: number;
  /** Another one with each receive. */
  receipt: string;
}

const longestVisibilitySeconds = 43_200;
const longestDelaySeconds = 900;
const deduplicationMs = 300_000;

export const createQueue = ({ isFifo }: { readonly isFifo: boolean }): FakeQueue => {
  const messages = new Set<Stored>();
  /** Every receipt that was given out. */
  const receipts = new Map<string, Stored>();
  /** Ids that were sent, and when. They stay known when their message is deleted. */
  const sent = new Map<string, { readonly id: string; readonly at: number }>();
  const waiting = new Set<() => void>();
  let duplicates = 0;

  const changed = () => {
    for (const wake of waiting) wake();
  };

  const isInFlight = ({ receives, visibleAt }: Stored) => receives > 0 && visibleAt > Date.now();

  /** The messages to hand out. Those of one group of a FIFO queue go one after the other. */
  const take = (count: number, visibilityMs: number): Stored[] => {
    const blocked = new Set(isFifo ? [...messages].filter(isInFlight).map(({ group }) => group) : []);
    const taken: Stored[] = [];
    for (const message of messages) {
      if (taken.length >= count) break;
      if (message.visibleAt > Date.now() || blocked.has(message.group)) continue;
      const isDuplicated = !isFifo && duplicates > 0;
      if (isDuplicated) duplicates -= 1;
      Object.assign(message, {
        receives: message.receives + 1,
        firstReceivedAt: message.firstReceivedAt || Date.now(),
        receivedAt: Date.now(),
        receipt: randomUUID(),
        visibleAt: isDuplicated ? Date.now() : Date.now() + visibilityMs,
      });
      receipts.set(message.receipt, message);
      taken.push({ ...message });
    }
    return taken;
  };

  const nextChange = (endsAt: number, gone: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const { promise, resolve: wake } = Promise.withResolvers<void>();
      const later = [...messages].map(({ visibleAt }) => visibleAt).filter((at) => at > Date.now());
      const cancel = setTimer(wake, Math.min(endsAt, ...later) - Date.now());
      waiting.add(wake);
      gone.addEventListener('abort', () => wake(), { once: true });
      void promise.then(() => {
        cancel();
        waiting.delete(wake);
        resolve();
      });
    });

  /** The message of a receipt that may still change it. */
  const held = ({ ReceiptHandle }: Fields): Stored | undefined => {
    const message = receipts.get(String(ReceiptHandle));
    if (!message) throw new SqsError('ReceiptHandleIsInvalid', 'The input receipt handle is invalid.');
    return messages.has(message) && message.receipt === ReceiptHandle ? message : undefined;
  };

  return {
    send: (entry) => {
      const { DelaySeconds, MessageDeduplicationId: key, MessageGroupId, MessageBody, MessageAttributes = {} } = entry;
      if (isFifo && DelaySeconds !== undefined)
        throw invalid(`Value ${String(DelaySeconds)} for DelaySeconds is invalid: it isn't allowed for FIFO queues.`);
      const delay = seconds('DelaySeconds', DelaySeconds ?? 0, longestDelaySeconds);
      if (isFifo && (!isToken(key) || !isToken(MessageGroupId)))
        throw invalid('A FIFO queue needs MessageGroupId and MessageDeduplicationId of up to 128 characters.');
      if (!isFifo && key !== undefined) throw invalid('MessageDeduplicationId is for FIFO queues.');
      const before = sent.get(String(key));
      if (isFifo && before && before.at > Date.now() - deduplicationMs) return before.id;
      const id = randomUUID();
      if (isFifo) sent.set(String(key), { id, at: Date.now() });
      messages.add({
        id,
        body: String(MessageBody),
        attributes: MessageAttributes as Fields,
        group: String(MessageGroupId),
        sentAt: Date.now(),
        visibleAt: Date.now() + delay * 1000,
        receives: 0,
        firstReceivedAt: 0,
        receivedAt: 0,
        receipt: '',
      });
      changed();
      return id;
    },

    receive: async (input, gone) => {
      const { MaxNumberOfMessages = 1, WaitTimeSeconds = 0, VisibilityTimeout = 30 } = input;
      const count = Number(MaxNumberOfMessages);
      if (!(count >= 1 && count <= 10)) throw invalid('MaxNumberOfMessages must be between 1 and 10.');
      const endsAt = Date.now() + seconds('WaitTimeSeconds', WaitTimeSeconds, 20) * 1000;
      const visibilityMs = seconds('VisibilityTimeout', VisibilityTimeout, longestVisibilitySeconds) * 1000;
      for (;;) {
        const taken = gone.aborted ? [] : take(count, visibilityMs);
        if (taken.length > 0 || Date.now() >= endsAt || gone.aborted)
          return taken.length > 0 ? { Messages: taken.map((message) => shown(message, input)) } : {};
        await nextChange(endsAt, gone);
      }
    },

    changeVisibility: (input) => {
      const message = held(input);
      if (!message || !isInFlight(message))
        throw new SqsError('MessageNotInflight', 'The specified message is not in flight.');
      const timeout = seconds('VisibilityTimeout', input['VisibilityTimeout'], longestVisibilitySeconds);
      const visibleAt = Date.now() + timeout * 1000;
      if (visibleAt > message.receivedAt + longestVisibilitySeconds * 1000)
        throw invalid('Total VisibilityTimeout for the message is beyond the limit [43200 seconds]');
      message.visibleAt = visibleAt;
      changed();
      return {};
    },

    remove: (input) => {
      const message = held(input);
      if (isFifo && message && !isInFlight(message)) throw invalid('The receipt handle has expired.');
      if (message) messages.delete(message);
      changed();
      return {};
    },

    bodies: () => [...messages].map(({ body }) => body),
    attributesOf: (index) => [...messages][index]?.attributes,
    duplicateNext: () => {
      duplicates += 1;
    },
  };
};

const invalid = (problem: string) => new SqsError('InvalidParameterValue', problem);

const isToken = (text: unknown): boolean => typeof text === 'string' && /^[!-~]{1,128}$/.test(text);

const seconds = (name: string, value: unknown, most: number): number => {
  if (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= most) return Number(value);
  throw invalid(`Value ${String(value)} for parameter ${name} is invalid: it must be between 0 and ${most}.`);
};

/** A message as its receiver sees it: attributes only if it asked for them. */
const shown = (message: Stored, { MessageSystemAttributeNames = [], MessageAttributeNames = [] }: Fields): object => {
  const all: Readonly<Record<string, string>> = {
    ApproximateReceiveCount: String(message.receives),
    ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt),
    SentTimestamp: String(message.sentAt),
    MessageGroupId: message.group,
  };
  const pick = <Value>(from: Readonly<Record<string, Value>>, names: unknown) => {
    const wanted = names as readonly string[];
    return Object.fromEntries(Object.entries(from).filter(([name]) => wanted.includes('All') || wanted.includes(name)));
  };
  return {
    MessageId: message.id,
    ReceiptHandle: message.receipt,
    Body: message.body,
    MD5OfBody: createHash('md5').update(message.body).digest('hex'),
    Attributes: pick(all, MessageSystemAttributeNames),
    MessageAttributes: pick(message.attributes, MessageAttributeNames),
  };
};
