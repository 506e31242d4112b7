import { type Description, listIn, objectIn, type Raw, textIn } from './description.ts';
import { camelCase, createNames } from './names.ts';

/** One operation of a description. */
export interface DescribedOperation {
  /** The method of the client. */
  readonly name: string;
  /** `GET` and the like. */
  readonly method: string;
  readonly path: string;
  readonly operation: Raw;
  readonly parameters: readonly Raw[];
}

/** The operations that match one of the patterns of `only`; all of them without any. `client` is the client's name. */
export const readOperations = (
  { root, follow }: Description,
  { only, client }: { readonly only: readonly string[]; readonly client: string },
): readonly DescribedOperation[] => {
  const names = createNames(namesOfEveryClient);
  const tests = only.map(toTest);
  return Object.entries(objectIn(root, 'paths')).flatMap(([path, item]) => {
    const shared = listIn(follow(item), 'parameters');
    return methods.flatMap((method) => {
      const operation = follow(follow(item)?.[method]);
      if (!operation) return [];
      const id = textIn(operation, 'operationId');
      const wanted = withoutClient(camelCase(id ?? '') || nameOf(method, path), client);
      const said = [id, wanted, path, ...listIn(operation, 'tags')].filter((one) => typeof one === 'string');
      if (tests.length > 0 && !tests.some((test) => said.some((one) => test.test(one)))) return [];
      const parameters = [...shared, ...listIn(operation, 'parameters')].map(follow).filter((one) => one !== undefined);
      const name = names.take(wanted);
      return [{ name, method: method.toUpperCase(), path, operation, parameters: lastOfEach(parameters) }];
    });
  });
};

/** Also those that a client can't express: they are named in what is written. */
const methods = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'trace'];

/** The methods that every client has, and `then`, which would make it a promise. */
const namesOfEveryClient = ['request', 'warmUp', 'status', 'close', 'then'];

/** `orders.ordersGet` says it twice. */
const withoutClient = (name: string, client: string): string => {
  const rest = name.startsWith(client) ? name.slice(client.length) : '';
  return /^[A-Z]/.test(rest) ? `${rest.charAt(0).toLowerCase()}${rest.slice(1)}` : name;
};

/** `GET /orders/{id}/lines` is `getOrdersByIdLines`. */
const nameOf = (method: string, path: string): string =>
  camelCase(`${method} ${path.replaceAll(/\{([^{}]*)\}/g, 'by $1')}`);

/** `*` means anything. */
const toTest = (pattern: string): RegExp => new RegExp(`^${pattern.split('*').map(escapeText).join('.*')}$`, 'i');

const escapeText = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** A parameter of an operation replaces the one of its path. */
const lastOfEach = (parameters: readonly Raw[]): readonly Raw[] => [
  ...new Map(
    parameters.map((parameter) => [`${textIn(parameter, 'in')} ${textIn(parameter, 'name')}`, parameter]),
  ).values(),
];

/** Returns the words that patterns may match, for a person whose pattern matches nothing. */
export const tagsOf = ({ root }: Description): readonly string[] => {
  const operations = Object.values(objectIn(root, 'paths')).flatMap((item) => Object.values(Object(item) as Raw));
  const tags = operations.flatMap((operation) => listIn(Object(operation) as Raw, 'tags'));
  return [...new Set(tags.filter((tag) => typeof tag === 'string'))];
};
