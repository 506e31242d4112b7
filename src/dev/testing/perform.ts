import type { Admission } from './admit.ts';
import { fingerprintOf, type KeptAnswers } from './answers.ts';
import type { Contract, Endpoint, EndpointAnswer } from './endpoint.ts';
import type { OperationName } from './operations.ts';
import type { ParsedRequest } from './parse-request.ts';

/** What came of a request that was let in. */
export interface Performed {
  readonly answer: EndpointAnswer;
  /** A write was done. */
  readonly executed: boolean;
  /** The answer is that of an earlier request with the same idempotency key. */
  readonly replayed: boolean;
}

export interface PerformOptions<Store> {
  readonly contract: Contract<Store>;
  readonly store: Store;
  readonly admission: Admission<Store>;
  /** `undefined`: the API knows no idempotency keys. */
  readonly answers: KeptAnswers | undefined;
  readonly onEffect: (operation: OperationName, idempotencyKey: string | undefined) => void;
}

/** Does the work of a row, once per idempotency key. Throws `Refused`, and then nothing has changed. */
export const createPerform = <Store>({ contract, store, admission, answers, onEffect }: PerformOptions<Store>) => {
  /** The header, or the field of the body that means the same. */
  const keyOf = ({ request, body }: ParsedRequest): string | undefined => {
    const inHeader = request.headers['idempotency-key'];
    const inBody = contract.keyField === undefined ? undefined : body[contract.keyField];
    if (typeof inBody !== 'string') return inHeader;
    if (inHeader === undefined || inHeader === inBody) return inBody;
    throw admission.refusal('key-mismatch', 'The idempotency keys in header and body differ', {
      field: contract.keyField,
    });
  };

  const write = (parsed: ParsedRequest, endpoint: Endpoint<Store>, work: () => EndpointAnswer): Performed => {
    const key = keyOf(parsed);
    const fingerprint = fingerprintOf(parsed.request.method, parsed.request.url, parsed.body);
    const kept = key === undefined ? undefined : answers?.find(key, fingerprint);
    if (kept === 'conflict') {
      throw admission.refusal('key-reused', 'The idempotency key was used for another request');
    }
    if (kept) return { answer: kept, executed: false, replayed: true };
    const answer = work();
    if (key !== undefined) answers?.keep(key, fingerprint, answer);
    for (const done of answer.effects ?? [endpoint.operation]) onEffect(done, key);
    return { answer, executed: true, replayed: false };
  };

  return (parsed: ParsedRequest, endpoint: Endpoint<Store>, params: Readonly<Record<string, string>>): Performed => {
    const work = () => {
      admission.assertFields(parsed, endpoint);
      const { query, body, request } = parsed;
      return endpoint.answer({ store, params, query, body, headers: request.headers });
    };
    if (endpoint.effect === 'write') return write(parsed, endpoint, work);
    return { answer: work(), executed: false, replayed: false };
  };
};
