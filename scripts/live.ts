/**
 * `npm run test:live` tries the platforms whose test accounts the environment names, deletes what it made, and prints a
 * dated table. Without an account it lists the variables. Nothing else in the repository needs one.
 */
import { accountsIn, neededVariables } from './live/accounts.ts';
import { type Trial, tryAccount } from './live/try-account.ts';

/** Writes the report with `print`, and returns the exit code. */
export const runLive = async (
  env: Readonly<Record<string, string | undefined>>,
  print: (line: string) => void,
): Promise<number> => {
  const { accounts, problems } = accountsIn(env);
  for (const problem of problems) print(problem);
  if (problems.length > 0) return 2;
  if (accounts.length === 0) {
    print('No test account is named, so nothing was tried. Set the variables of any of them:');
    for (const line of neededVariables()) print(line);
    return 0;
  }
  const trials: Trial[] = [];
  // One after another: a person reads along, and accounts have limits.
  for (const account of accounts) trials.push(await tryAccount(account, print));
  print('');
  for (const line of tableOf(trials)) print(line);
  return trials.some(({ steps }) => steps.some(({ result }) => result === 'failed')) ? 1 : 0;
};

const columns = ['reads', 'contact', 'note', 'ticket', 'lead with Task', 'payment', 'webhook', 'cleaned up'];

const tableOf = (trials: readonly Trial[]): readonly string[] => [
  `| Platform | Version | Tried on | ${columns.join(' | ')} |`,
  `|---|---|---|${columns.map(() => '---|').join('')}`,
  ...trials.map(({ title, version, day, steps }) => {
    const cells = columns.map((column) => steps.find(({ name }) => name === column)?.result ?? '–');
    return `| ${[title, version, day, ...cells].join(' | ')} |`;
  }),
];

if (import.meta.main) process.exitCode = await runLive(process.env, console.log);
