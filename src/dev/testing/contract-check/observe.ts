import { IntegrationError } from '../../../core/errors.ts';
import { connectionOf, withConnection } from '../../../billing/own/connection-of.ts';
import type { ConnectionOptions } from '../../../http/operation.ts';
import type { Middleware } from '../../../http/request.ts';
import { createIntegration, type IntegrationOptions } from '../../../integration.ts';
import type { IntegrationEvent } from '../../../observability/events.ts';
import type { ContractProbe, KnownWorkspace } from './probes.ts';
import { type Shape, shapeOf } from './shape.ts';
import { withoutUndefined } from '../../../core/without-undefined.ts';

/** The result of one operation with one version. */
export interface Observation {
  /** The status of the last answer. */
  readonly status?: number;
  readonly shape?: Shape;
  /** The reason why the operation failed. */
  readonly problem?: { readonly kind: 'refused' | 'unreadable' | 'failed'; readonly message: string };
  /** Fields that this package knows, which came in another type. */
  readonly drifted: readonly string[];
  readonly answeredVersion?: string;
  readonly deprecation?: string;
  readonly sunset?: string;
}

/** Does every probe that can be done, one after the other. By operation; what is missing was not done. */
export const observe = async (
  options: IntegrationOptions,
  probes: readonly ContractProbe[],
  known: KnownWorkspace,
): Promise<ReadonlyMap<string, Observation>> => {
  const answers = new Map<string, { readonly status: number; readonly text: string }>();
  const events: IntegrationEvent[] = [];
  const listen: Middleware = async (request, next) => {
    const response = await next(request);
    answers.set(request.operation, response);
    return response;
  };
  const { messaging, crm, billing } = options;
  const listened = withoutUndefined({
    messaging: messaging && { ...messaging, ...listening(messaging, listen, events) },
    crm: crm && { ...crm, ...listening(crm, listen, events) },
    billing: billing && withConnection(billing, listening(connectionOf(billing), listen, events)),
  });
  await using integration = createIntegration({ ...options, ...listened });

  const observations = new Map<string, Observation>();
  for (const { operation, run } of probes) {
    const [api = ''] = operation.split('.');
    if (!Object.hasOwn(integration.status(), api)) continue;
    const running = run(integration, known);
    if (!running) continue;
    const problem = await running.then(() => undefined, problemOf);
    const answer = answers.get(operation);
    const shape = answer && !problem ? shapeOf(parsed(answer.text)) : undefined;
    const seen = withoutUndefined({ status: answer?.status, shape, problem });
    observations.set(operation, { ...seen, ...heardOf(events, operation) });
  }
  return observations;
};

const listening = (options: ConnectionOptions, listen: Middleware, events: IntegrationEvent[]) => ({
  middleware: { ...options.middleware, perAttempt: [...(options.middleware?.perAttempt ?? []), listen] },
  onEvent: [(event: IntegrationEvent) => void events.push(event), ...[options.onEvent ?? []].flat()],
});

const problemOf = (error: unknown): NonNullable<Observation['problem']> => {
  if (!(error instanceof IntegrationError)) throw error;
  const kinds = { client_error: 'refused', invalid_argument: 'refused', unexpected_response: 'unreadable' } as const;
  const kind = kinds[error.code as keyof typeof kinds] ?? 'failed';
  const codes = error.codes ? ` (${error.codes.join(', ')})` : '';
  return { kind, message: `${error.message}${codes}` };
};

const heardOf = (events: readonly IntegrationEvent[], operation: string) => {
  const own = events.filter((event) => event.operation === operation);
  const drifted = own.flatMap((event) => (event.type === 'schema-drift' ? event.fields : []));
  const warning = own.find((event) => event.type === 'version-warning');
  const { answered, deprecation, sunset } = warning ?? {};
  return withoutUndefined({ drifted: [...new Set(drifted)], answeredVersion: answered, deprecation, sunset });
};

/** Returns `undefined` for what is no JSON: the client has judged that already. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
