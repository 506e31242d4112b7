/** What one simulation came to. */
export interface Finding {
  readonly title: string;
  /** Markdown. */
  readonly text: string;
  readonly charts: readonly Chart[];
  /** What must be true whatever the numbers are. */
  readonly bounds: readonly Bound[];
}

/** A file of docs/images. */
export interface Chart {
  readonly file: string;
  readonly svg: string;
}

export interface Bound {
  readonly what: string;
  readonly found: number;
  readonly atMost: number;
}

/** How large a simulation is. */
export type Size = 'whole' | 'short';

export const holds = ({ found, atMost }: Bound): boolean => found <= atMost;

export const milliseconds = (ms: number): string => (Number.isNaN(ms) ? '–' : Math.round(ms).toLocaleString('en'));

export const percent = (share: number, digits = 1): string => `${(100 * share).toFixed(digits)} %`;

export const times = (ratio: number): string => ratio.toFixed(2);
