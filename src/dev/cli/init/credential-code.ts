import { type Description, listIn, objectIn, type Raw, textIn } from './description.ts';
import { camelCase, constantCase } from './names.ts';
import { type Code, objectCode, quote } from './print-code.ts';

/** How a client authenticates, as code, and the helpers that it needs. */
export interface CredentialCode {
  readonly code: Code;
  /** Of `voice-agent-integrations/auth`. */
  readonly imports: readonly string[];
  readonly notes: readonly string[];
}

/** The first way to authenticate that the description allows and this package has. */
export const writeCredential = ({ root, follow }: Description, name: string): CredentialCode => {
  const schemes = objectIn(objectIn(root, 'components'), 'securitySchemes');
  const declared = listIn(root, 'security').map((one) => Object.keys(Object(one)));
  // Where only the operations say it, the first of them speaks for all.
  const ofOperations = Object.values(objectIn(root, 'paths')).flatMap((path) =>
    Object.values(Object(path)).flatMap((operation) =>
      listIn(operation as Raw, 'security').map((one) => Object.keys(Object(one))),
    ),
  );
  const ways = declared.length > 0 ? declared : ofOperations;
  const used = ways.find((way) => way.length > 0) ?? [];
  if (used.length === 0) return { code: 'combined()', imports: ['combined'], notes: [] };
  const written = ways.map((way) => way.map((scheme) => writeScheme(follow(schemes[scheme]), name, scheme)));
  const chosen = written.find((way) => way.length > 0 && way.every(({ code }) => code !== undefined));
  if (!chosen) {
    const notes = (written.find((way) => way.length > 0) ?? []).flatMap(({ note }) =>
      note === undefined ? [] : [note],
    );
    return { code: 'combined()', imports: ['combined'], notes };
  }
  const codes = chosen.flatMap(({ code }) => (code === undefined ? [] : [code]));
  const [only = 'combined()'] = codes;
  const isAlone = codes.length === 1;
  return {
    code: isAlone ? only : { open: 'combined(', items: codes.map((code) => ({ code })), close: ')' },
    imports: [...(isAlone ? [] : ['combined']), ...chosen.flatMap(({ imports }) => imports)],
    notes: chosen.flatMap(({ note }) => (note === undefined ? [] : [note])),
  };
};

interface SchemeCode {
  readonly code: Code | undefined;
  readonly imports: readonly string[];
  readonly note?: string | undefined;
}

const writeScheme = (scheme: Raw | undefined, name: string, key: string): SchemeCode => {
  const variable = (what: string) => `fromEnv(${quote(`${constantCase(name)}_${what}`)})`;
  const flows = objectIn(scheme, 'flows');
  const kind = [textIn(scheme, 'type'), textIn(scheme, 'scheme')?.toLowerCase(), textIn(scheme, 'in')].join(' ').trim();
  switch (true) {
    case kind.startsWith('http bearer'):
      return { code: `bearer(${variable('TOKEN')})`, imports: ['bearer', 'fromEnv'] };
    case kind.startsWith('http basic'):
      return {
        code: `apiKey('Authorization', () => \`Basic \${btoa(${variable('USER_AND_PASSWORD')}())}\`)`,
        imports: ['apiKey', 'fromEnv'],
        note: `${constantCase(name)}_USER_AND_PASSWORD holds user:password`,
      };
    case kind === 'apiKey  header': {
      const header = textIn(scheme, 'name') ?? 'X-Api-Key';
      const what = constantCase(camelCase(key)) || 'KEY';
      return { code: `apiKey(${quote(header)}, ${variable(what)})`, imports: ['apiKey', 'fromEnv'] };
    }
    case flows['clientCredentials'] !== undefined: {
      const given = textIn(objectIn(flows, 'clientCredentials'), 'tokenUrl') ?? '';
      const isUsable = /^https:/i.test(given) && URL.canParse(given);
      return {
        code: objectCode(
          {
            tokenEndpoint: quote(isUsable ? given : 'https://login.example.com/token'),
            clientId: variable('CLIENT_ID'),
            clientSecret: variable('CLIENT_SECRET'),
          },
          { open: 'oauthClientCredentials({', close: '})', isExpanded: true },
        ),
        imports: ['fromEnv', 'oauthClientCredentials'],
        note: isUsable ? undefined : "the description doesn't say where tokens come from",
      };
    }
    case kind === 'oauth2' || kind === 'openIdConnect':
      return {
        code: `bearer(${variable('TOKEN')})`,
        imports: ['bearer', 'fromEnv'],
        note: 'the token comes from the consent of a user: authorizationCode and oauthRefreshToken renew it',
      };
    default:
      return { code: undefined, imports: [], note: `the credential ${key} (${kind}) has to be added by a middleware` };
  }
};
