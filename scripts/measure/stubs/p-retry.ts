/** p-retry that never retries. */
export * from 'p-retry';

export default async <T>(run: (attempt: number) => Promise<T>): Promise<T> => run(1);
