import type { Deadline, IntegrationEvent } from '../../../index.ts';
import type { Terminal } from '../terminal.ts';

/** Prints a phone call while it happens. */
export interface Timeline {
  /** The clients' observer: collects the attempts of the step that is running. */
  readonly onEvent: (event: IntegrationEvent) => void;
  readonly say: (who: 'caller' | 'agent' | 'line', words: string) => void;
  /** Runs one step and prints its attempts, its time against the deadline and its result. */
  readonly step: (name: string, deadline: Deadline | undefined, work: () => Promise<string>) => Promise<void>;
  /** The results of all steps. */
  readonly steps: readonly PlayedStep[];
}

export interface PlayedStep {
  readonly name: string;
  readonly isDone: boolean;
  readonly isInTime: boolean;
}

const markOf = { caller: '☎ ', agent: '🎧', line: '· ' } as const;

export const createTimeline = ({ print, paint }: Pick<Terminal, 'print' | 'paint'>): Timeline => {
  let attempts: IntegrationEvent<'attempt'>[] = [];
  const steps: PlayedStep[] = [];

  return {
    steps,
    onEvent: (event) => {
      if (event.type === 'attempt') attempts.push(event);
    },
    say: (who, words) => print(`\n${markOf[who]} ${paint(who === 'caller' ? 'bold' : 'dim', words)}`),
    step: async (name, deadline, work) => {
      attempts = [];
      const startedAt = performance.now();
      const leftBefore = deadline?.remainingMs();
      const { result, isDone } = await work().then(
        (result) => ({ result, isDone: true }),
        (error: unknown) => ({ result: error instanceof Error ? error.message : String(error), isDone: false }),
      );
      const tookMs = performance.now() - startedAt;
      const isInTime = leftBefore === undefined || tookMs <= leftBefore;
      steps.push({ name, isDone, isInTime });
      print(`   ${paint('bold', name)}  ${paint('dim', timeOf(tookMs, deadline))}`);
      for (const line of attempts.flatMap((event) => linesOf(event, paint))) print(`     ${line}`);
      print(`     ${paint(isDone ? 'green' : 'red', isDone ? '→' : '✗')} ${result}`);
    },
  };
};

const timeOf = (tookMs: number, deadline: Deadline | undefined): string => {
  if (!deadline) return `${Math.round(tookMs)} ms, after the call`;
  const usedMs = deadline.budgetMs - deadline.remainingMs();
  const cells = Math.min(10, Math.ceil((usedMs / deadline.budgetMs) * 10));
  return `${Math.round(tookMs)} ms  [${'■'.repeat(cells)}${'·'.repeat(10 - cells)}] ${Math.round(usedMs)} of ${deadline.budgetMs} ms of this turn`;
};

const linesOf = (
  { operation, attempt, durationMs, status, error, waits }: IntegrationEvent<'attempt'>,
  paint: Terminal['paint'],
): string[] => {
  const waited = waits.map(({ reason, ms }) => paint('yellow', `waited ${Math.round(ms)} ms: ${whyWaited[reason]}`));
  const end = status === undefined ? (error?.networkCode ?? error?.reason ?? error?.code ?? '') : String(status);
  const line = `${operation.padEnd(38)} attempt ${attempt}  ${end}  ${durationMs.toFixed(1)} ms`;
  const why = error && whyAgain(error);
  return [...waited, error ? `${paint('yellow', line)}${why ? paint('yellow', `  ${why}`) : ''}` : line];
};

const whyWaited = {
  retry_after: 'the API asked for it (Retry-After)',
  backoff: 'back-off with jitter',
  rate_limit: 'our own rate limit',
} as const;

const whyAgain = ({ reason }: { reason?: string | undefined }): string => {
  switch (reason) {
    case 'rate_limited':
      return 'too many requests: wait, then again';
    case 'server_error':
      return 'the API failed: again';
    case 'network':
      return 'no answer came: again, with the same idempotency key';
    case 'timeout':
      return 'no answer in time: again, with the same idempotency key';
    default:
      return '';
  }
};
