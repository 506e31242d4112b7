/** The values of the environment whose names say that they are secret, so that no output repeats one. */
export const secretsInEnvironment = (env: Readonly<Record<string, string | undefined>>): readonly string[] =>
  Object.entries(env).flatMap(([name, value]) => (value !== undefined && isSecretName(name) ? [value] : []));

const isSecretName = (name: string): boolean =>
  /(?:^|_)(?:TOKEN|SECRET|SECRETS|PASSWORD|PASSWD|CREDENTIALS?|(?:API|PRIVATE|SIGNING|ACCESS|SECRET)_?KEY)(?:_|$)/i.test(
    name,
  );
