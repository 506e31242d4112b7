import type { Clock } from '../clock.ts';
import { isIntegrationError } from '../errors.ts';
import type { Tell } from '../observability/teller.ts';
import { joinUrl } from './base-url.ts';
import type { Credential } from './credential.ts';
import { deadlineIn } from './deadline.ts';
import { authenticate } from './middleware/authenticate.ts';
import { holdDeadline } from './middleware/deadline.ts';
import type { WarmUp, WarmUpOptions } from './operation.ts';
import { neverAborts } from './own-signal.ts';
import type { RequestDefaults } from './prepare-request.ts';
import { startProgress, startSending } from './progress.ts';
import type { HttpRequest, Transport } from './request.ts';
import type { HttpResponse } from './response.ts';

export interface WarmUpParts {
  readonly api: string;
  readonly defaults: RequestDefaults;
  readonly credential: Credential;
  readonly tenant: string | undefined;
  readonly transport: Transport;
  readonly tell: Tell;
  readonly clock: Clock;
}

/**
 * Makes ready what a first request would wait for: name, TCP, TLS and the credential. The connection is opened by a
 * `OPTIONS` of the base address, without the credential; whatever it is answered, the connection stands and is kept
 * (after a `HEAD`, Node's fetch would close it).
 * Never rejects. The rate limit and the circuit do not count it.
 */
export const createWarmUp =
  ({ api, defaults, credential, tenant, transport, tell, clock }: WarmUpParts) =>
  async ({ deadline = defaults.deadlineMs, signal, callId }: WarmUpOptions = {}): Promise<WarmUp> => {
    const request: HttpRequest = {
      operation: `${api}.warmUp`,
      effect: 'read',
      method: 'OPTIONS',
      url: joinUrl(defaults.baseUrl, ''),
      headers: { accept: 'application/json', 'user-agent': defaults.userAgent },
      deadline: typeof deadline === 'number' ? deadlineIn(deadline, { clock }) : deadline,
      signal: signal ?? neverAborts,
      attempt: 1,
      plan: {
        lane: 'live',
        wholeDeadline: false,
        minimumBudgetMs: 0,
        ...(callId === undefined ? {} : { callId }),
      },
      progress: startProgress(clock.now()),
      sending: startSending(),
    };
    const readCredential = authenticate(credential, { tenant, tell });
    try {
      await holdDeadline({ clock })(request, async (within) => {
        const [answer] = await Promise.all([transport(within), readCredential(within, async () => nothing)]);
        return answer;
      });
      return { ready: true };
    } catch (error) {
      if (isIntegrationError(error)) return { ready: false, error };
      throw error;
    }
  };

const nothing: HttpResponse = { status: 204, headers: new Map(), text: '' };
