import { mkdir, writeFile } from 'node:fs/promises';
import { findingsOf } from './findings.ts';
import { type Finding, holds, type Size } from './finding.ts';

/**
 * Simulates many processes and phone calls, always with the same random numbers. The whole one draws the charts of the
 * documentation again.
 */
export const simulateScale = async (size: Size): Promise<readonly Finding[]> => {
  const { stackTraceLimit } = Error;
  // Thousands of calls fail, and their stack traces are not read.
  Error.stackTraceLimit = 0;
  try {
    return await findingsOf(size);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
};

const images = new URL('../../docs/images/', import.meta.url);

export const writeCharts = async (findings: readonly Finding[]): Promise<void> => {
  await mkdir(images, { recursive: true });
  for (const { file, svg } of findings.flatMap(({ charts }) => charts)) await writeFile(new URL(file, images), svg);
};

export const scaleReport = (findings: readonly Finding[], command: string): string =>
  [
    `\`${command}\`: simulated, the same on every machine.`,
    '',
    ...findings.flatMap(({ title, text }) => [`### ${title}`, '', text, '']),
  ].join('\n');

/** Whether everything is true that has to be. */
export const scaleGate = (findings: readonly Finding[], print: (line: string) => void): boolean => {
  const bounds = findings.flatMap((finding) => finding.bounds);
  for (const bound of bounds)
    print(
      `${holds(bound) ? 'holds' : 'BROKEN'}: ${bound.what}: ${Number(bound.found.toFixed(3))}, at most ${bound.atMost}`,
    );
  return bounds.every(holds);
};
