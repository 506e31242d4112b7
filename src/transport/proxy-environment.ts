import { InvalidArgumentError } from '../errors.ts';

/** What decides whether proxies are used. */
export interface ProxyQuestion {
  /** @defaultValue as Node's own fetch: only with `NODE_USE_ENV_PROXY=1` or `--use-env-proxy` */
  readonly proxy: 'environment' | 'none' | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly execArgv: readonly string[];
  /** Whether this Node knows proxies, as since 22.21 and 24.5. */
  readonly isSupported: () => boolean;
}

/**
 * The variables that name proxies, when they are to be used and there are any.
 * Throws `InvalidArgumentError` where they are asked for and Node cannot: going around a proxy is no way out.
 */
export const proxyEnvironmentOf = ({
  proxy,
  env,
  execArgv,
  isSupported,
}: ProxyQuestion): Readonly<Record<string, string | undefined>> | undefined => {
  const isNodesOwnWay =
    env.NODE_USE_ENV_PROXY === '1' ||
    execArgv.includes('--use-env-proxy') ||
    /(?:^|\s)--use-env-proxy(?:\s|$)/.test(env.NODE_OPTIONS ?? '');
  const isWanted = proxy === undefined ? isNodesOwnWay : proxy === 'environment';
  if (!isWanted || !variables.some((name) => env[name])) return undefined;
  if (!isSupported())
    throw new InvalidArgumentError(
      'proxy',
      "needs Node 22.21, 24.5 or later; with an older one give the client a `fetch` that uses it, or say proxy: 'none'",
    );
  return env;
};

const variables = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy'];
