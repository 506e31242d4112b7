import { IntegrationError } from '../core/errors.ts';
import type { Emitter } from '../observability/emitter.ts';
import { createCallLog, withLog } from './call-log.ts';
import type { Credential } from './credential.ts';
import { deadlineIn } from './deadline.ts';
import { authenticate } from './middleware/authenticate.ts';
import { holdDeadline } from './deadline.ts';
import type { WarmUp, WarmUpOptions } from './operation.ts';
import { joinUrl, type RequestDefaults } from './prepare-request.ts';
import type { HttpRequest, Transport } from './request.ts';
import type { HttpResponse } from './response.ts';

export interface WarmUpParts {
  readonly api: string;
  readonly defaults: RequestDefaults;
  readonly credential: Credential;
  readonly tenant: string | undefined;
  readonly transport: Transport;
  readonly emitter: Emitter;
}

/**
 * Makes ready what a first request would wait for: name, TCP, TLS and the credential. The connection is opened by a
 * `OPTIONS` of the base address, without the credential; whatever the answer is, the connection is open and kept
 * (after a `HEAD`, Node's fetch would close it).
 * Never rejects. The rate limit and the circuit do not count it.
 */
export const createWarmUp =
  ({ api, defaults, credential, tenant, transport, emitter }: WarmUpParts) =>
  async ({ deadline = defaults.deadlineMs, signal, callId }: WarmUpOptions = {}): Promise<WarmUp> => {
    const request: HttpRequest = {
      operation: `${api}.warmUp`,
      effect: 'read',
      method: 'OPTIONS',
      url: joinUrl(defaults.baseUrl, ''),
      headers: { accept: 'application/json', 'user-agent': defaults.userAgent },
      deadline: typeof deadline === 'number' ? deadlineIn(deadline) : deadline,
      signal: signal ?? new AbortController().signal,
      attempt: 1,
      callId,
    };
    const logged = withLog(request, createCallLog().attemptStarted());
    const readCredential = authenticate(credential, { tenant, emitter });
    try {
      await holdDeadline()(logged, async (within) => {
        const [answer] = await Promise.all([transport(within), readCredential(within, async () => nothing)]);
        return answer;
      });
      return { ready: true };
    } catch (error) {
      if (error instanceof IntegrationError) return { ready: false, error };
      throw error;
    }
  };

const nothing: HttpResponse = { status: 204, headers: new Map(), text: '' };
