import { type Contract, type EndpointAnswer, type EndpointCall, findEndpoint } from '../endpoint.ts';
import { firstProblem } from '../fields.ts';
import type { OperationName } from '../operations.ts';
import { Refused } from '../refused.ts';
import type { CrmStore } from '../store/crm.ts';
import { salesforcePaths } from './paths.ts';

const mostParts = 25;

interface Part {
  readonly method: string;
  readonly url: string;
  readonly referenceId: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}

interface Answered {
  readonly referenceId: string;
  readonly httpStatusCode: number;
  readonly body: unknown;
  readonly effects: readonly OperationName[];
}

/**
 * Does up to 25 requests one after the other; with `allOrNone`, all of them or none. A part may name what one before it
 * answered: `@{lead.id}`, anywhere in its address and its texts.
 */
export const answerComposite = (
  { store, body, headers }: EndpointCall<CrmStore>,
  contract: Contract<CrmStore>,
): EndpointAnswer => {
  const parts = readParts(body['compositeRequest']);
  const isAllOrNone = body['allOrNone'] === true;
  const restore = store.snapshot();
  const answered: Answered[] = [];
  for (const part of parts) {
    const answer = answerPart({ ...part, headers: { ...headers, ...part.headers } }, answered, store, contract);
    answered.push(answer);
    if (isAllOrNone && answer.httpStatusCode >= 300) {
      restore();
      return { status: 200, body: { compositeResponse: parts.map((each) => halted(each, answer)) }, effects: [] };
    }
  }
  return {
    status: 200,
    body: { compositeResponse: answered.map(({ effects: _effects, ...each }) => ({ ...each, httpHeaders: {} })) },
    effects: answered.flatMap(({ effects }) => effects),
  };
};

const answerPart = (
  part: Part,
  before: readonly Answered[],
  store: CrmStore,
  contract: Contract<CrmStore>,
): Answered => {
  const { referenceId } = part;
  try {
    // References are read in the text of a part, as the real resource does: nothing can be kept out by quoting it.
    const { method, url, body } = JSON.parse(resolved(JSON.stringify(part), before)) as Part;
    const [path = '', search = ''] = url.split('?');
    salesforcePaths.assertServed(path);
    const inner = salesforcePaths.behind(path);
    if (inner === undefined || inner === '/composite')
      throw new Refused(404, 'NOT_FOUND', 'The requested resource does not exist');
    const found = findEndpoint(contract.endpoints, method, inner, body);
    if (!found.endpoint) {
      const [status, code] = contract.refusals[found.why === 'path' ? 'path' : 'method'];
      throw new Refused(status, code, 'The requested resource does not exist, or not in this way');
    }
    const { endpoint, params } = found;
    const query = Object.fromEntries(new URLSearchParams(search));
    const problem = firstProblem(endpoint.query ?? {}, query) ?? firstProblem(endpoint.body ?? {}, body);
    if (problem) {
      const [status, code] = contract.refusals[problem.kind];
      throw new Refused(status, code, `${problem.field} ${problem.problem}`, { field: problem.field });
    }
    const {
      status,
      body: answer = null,
      effects,
    } = endpoint.answer({ store, params, query, body, headers: part.headers });
    const done = endpoint.effect === 'write' ? [endpoint.operation] : [];
    return { referenceId, httpStatusCode: status, body: answer, effects: effects ?? done };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { referenceId, httpStatusCode: error.status, body: contract.errorBody(error, ''), effects: [] };
  }
};

const resolved = (text: string, before: readonly Answered[]): string =>
  text.replace(/@\{([^}]*)\}/g, (_whole, reference: string) => {
    const [name, ...path] = reference.split('.');
    const answer = before.find(({ referenceId }) => referenceId === name);
    const value = path.reduce<unknown>(
      (inner, step) =>
        typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[step] : undefined,
      answer?.body,
    );
    if (typeof value !== 'string' && typeof value !== 'number')
      throw new Refused(400, 'PROCESSING_HALTED', `Invalid reference specified. No value for ${reference} found`);
    return String(value);
  });

const halted = ({ referenceId }: Part, cause: Answered) => ({
  referenceId,
  httpHeaders: {},
  ...(referenceId === cause.referenceId
    ? { httpStatusCode: cause.httpStatusCode, body: cause.body }
    : {
        httpStatusCode: 400,
        body: [
          {
            errorCode: 'PROCESSING_HALTED',
            message: 'The transaction was rolled back since another operation in the same transaction failed.',
          },
        ],
      }),
});

const readParts = (value: unknown): readonly Part[] => {
  const parts = (Array.isArray(value) ? value : []).map(
    (each: unknown) => each as Partial<Part> & { httpHeaders?: unknown },
  );
  if (parts.length === 0 || parts.length > mostParts)
    throw new Refused(
      400,
      'LIMIT_EXCEEDED',
      `The limit of ${mostParts} requests in a composite was exceeded, or there is none`,
    );
  const names = new Set<string>();
  return parts.map(({ method, url, referenceId, body = {}, httpHeaders = {} }) => {
    if (typeof method !== 'string' || typeof url !== 'string' || typeof referenceId !== 'string')
      throw new Refused(400, 'JSON_PARSER_ERROR', 'method, url and referenceId are required');
    if (!/^[A-Za-z]\w*$/.test(referenceId) || names.has(referenceId))
      throw new Refused(400, 'INVALID_FIELD', 'referenceId must be a name, and each another one');
    names.add(referenceId);
    const headers = Object.entries(httpHeaders as object).map(([name, text]) => [name.toLowerCase(), String(text)]);
    return { method, url, referenceId, body, headers: Object.fromEntries(headers) };
  });
};
