/**
 * What a shell does for two terminals: the sandbox as the page starts it, and, once it's up, the other commands.
 * The package is installed in the shell's folder.
 */
export const nextToSandbox = (sandbox: string, commands: readonly string[]): readonly string[] => [
  `${sandbox.trim().replace('npx ', 'node_modules/.bin/')} 2> sandbox.log &`,
  "trap 'kill $! 2> /dev/null || true' EXIT",
  'until grep -q Ctrl-C sandbox.log; do sleep 0.1; kill -0 $!; done',
  ...commands,
  'kill -INT $!; wait $!',
];
