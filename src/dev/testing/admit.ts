import {
  type CommonRefusal,
  type Contract,
  type Endpoint,
  type Found,
  findEndpoint,
  type Versioning,
} from './endpoint.ts';
import { firstProblem } from './fields.ts';
import type { ParsedRequest } from './parse-request.ts';
import { Refused } from './refused.ts';

/** The refusals that every API has, before a row of its contract is asked. Each function throws `Refused`. */
export interface Admission<Store> {
  /** The row that is meant, if any. */
  readonly find: (parsed: ParsedRequest) => Found<Store>;
  /** Credential, version, body, and whether there is a row. */
  readonly assertMeant: (
    parsed: ParsedRequest,
    found: Found<Store>,
  ) => asserts found is Extract<Found<Store>, { endpoint: Endpoint<Store> }>;
  readonly assertFields: (parsed: ParsedRequest, endpoint: Endpoint<Store>) => void;
  /** A refusal in the API's own words. */
  readonly refusal: (kind: CommonRefusal, message: string, more?: RefusalDetails) => Refused;
}

type RefusalDetails = ConstructorParameters<typeof Refused>[3];

export const createAdmission = <Store>({
  contract,
  versioning,
  isAccepted,
}: {
  readonly contract: Contract<Store>;
  readonly versioning: Versioning;
  readonly isAccepted: (credential: string) => boolean;
}): Admission<Store> => {
  const refusal = (kind: CommonRefusal, message: string, more?: RefusalDetails) => {
    const [status, code] = contract.refusals[kind];
    return new Refused(status, code, message, more);
  };

  const assertCredential = ({ credential }: ParsedRequest) => {
    if (credential === '') throw refusal('unauthorized', 'Credential missing');
    if (!isAccepted(credential)) throw refusal('unauthorized', 'Credential not accepted');
  };

  const assertVersion = ({ request, path }: ParsedRequest) => {
    if (typeof versioning === 'object' && 'behind' in versioning) return versioning.assertServed(path);
    if (typeof versioning !== 'object' || !('header' in versioning)) return;
    const { header, value } = versioning;
    const given = request.headers[header.toLowerCase()];
    if ('values' in versioning ? given === undefined || versioning.values.includes(given) : given === value) return;
    const problem = given === undefined ? 'is missing' : 'names a version that this API does not speak';
    throw refusal('version', `${header} ${problem}`, { field: header });
  };

  const assertJson = ({ request, isObject }: ParsedRequest) => {
    if (request.body === '') return;
    if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
      throw refusal('media', 'The body must be application/json');
    }
    if (!isObject) throw refusal('json', 'The body must be a JSON object');
  };

  const noEndpoint = (missing: Exclude<Found<Store>, { endpoint: Endpoint<Store> }>, method: string) => {
    switch (missing.why) {
      case 'path':
        return refusal('path', 'No such resource');
      case 'method':
        return refusal('method', `${method} is not allowed here`, {
          headers: { allow: [...new Set(missing.allowed)].join(', ') },
        });
      case 'body': {
        const { field } = missing;
        if (missing.missing) return refusal('missing', `${field} is required`, { field });
        return refusal('type', `${field} is not one that this path takes`, { field });
      }
    }
  };

  return {
    refusal,
    find: ({ request, path, query, body }) => {
      const inner = behindVersion(versioning, path);
      if (inner === undefined) return { why: 'path' };
      const found = findEndpoint(contract.endpoints, request.method, inner, body);
      const meant = found.endpoint?.operationOf?.({ query, body, params: found.params });
      return found.endpoint && meant ? { ...found, endpoint: { ...found.endpoint, operation: meant } } : found;
    },
    assertMeant: (parsed, found) => {
      if (!found.endpoint?.isOpen) assertCredential(parsed);
      assertVersion(parsed);
      assertJson(parsed);
      if (!found.endpoint) throw noEndpoint(found, parsed.request.method);
    },
    assertFields: ({ query, body }, endpoint) => {
      const problem = firstProblem(endpoint.query ?? {}, query) ?? firstProblem(endpoint.body ?? {}, body);
      if (problem) throw refusal(problem.kind, `${problem.field} ${problem.problem}`, { field: problem.field });
    },
  };
};

/** The path after its version; `undefined` when that is another one. */
const behindVersion = (versioning: Versioning, path: string): string | undefined => {
  if (typeof versioning !== 'object' || 'header' in versioning) return path;
  if ('behind' in versioning) return versioning.behind(path);
  const prefix = `/${versioning.path}`;
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : undefined;
};
