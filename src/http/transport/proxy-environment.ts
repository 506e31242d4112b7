/** The proxies, in the words of undici. Empty texts mean none. */
export interface ProxyAddresses {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
}

/** The facts that decide whether requests go through a proxy. */
export interface ProxyQuestion {
  /** @defaultValue as Node's own fetch: only with `NODE_USE_ENV_PROXY=1` or `--use-env-proxy` */
  readonly proxy: 'environment' | 'none' | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly execArgv: readonly string[];
}

/** The proxies that the environment names, when they count and there are any. */
export const proxiesOf = ({ proxy, env, execArgv }: ProxyQuestion): ProxyAddresses | undefined => {
  const isNodesOwnWay =
    env.NODE_USE_ENV_PROXY === '1' ||
    execArgv.includes('--use-env-proxy') ||
    /(?:^|\s)--use-env-proxy(?:\s|$)/.test(env.NODE_OPTIONS ?? '');
  const isWanted = proxy === undefined ? isNodesOwnWay : proxy === 'environment';
  const httpProxy = env.http_proxy || env.HTTP_PROXY || '';
  const httpsProxy = env.https_proxy || env.HTTPS_PROXY || '';
  if (!isWanted || (httpProxy === '' && httpsProxy === '')) return undefined;
  return { httpProxy, httpsProxy, noProxy: env.no_proxy || env.NO_PROXY || '' };
};
