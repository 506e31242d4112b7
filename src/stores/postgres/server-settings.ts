import type { ServerWarning } from '../server-warning.ts';

/** What is wrong with a server that has to remember claims; from rows of `pg_settings`. */
export const postgresWarnings = (rows: readonly Readonly<Record<string, unknown>>[]): ServerWarning[] => {
  const settings = new Map(rows.map(({ name, setting }) => [name, setting]));
  const warnings: ServerWarning[] = [];
  if (settings.get('fsync') === 'off')
    warnings.push({
      code: 'postgres_no_fsync',
      message: `This PostgreSQL does not flush to disk (fsync off): a power loss may take claims and the database with them. Set fsync on.`,
    });
  if (settings.get('synchronous_commit') === 'off')
    warnings.push({
      code: 'postgres_commits_late',
      message: `This PostgreSQL acknowledges before it has flushed (synchronous_commit off): a power loss or a kill of the server takes the last claims. Set synchronous_commit on for this user.`,
    });
  return warnings;
};
