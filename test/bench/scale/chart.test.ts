import { expect, test } from 'vitest';
import { lineChart } from '../../../bench/scale/chart.ts';

const chart = lineChart({
  title: 'Waits & <limits>',
  x: { name: 'seconds', ticks: [0, 50, 100] },
  y: { name: 'ms', ticks: [1, 10, 100], scale: 'logarithmic' },
  series: [
    {
      name: 'one',
      points: [
        [0, 1],
        [50, 10],
        [75, Number.NaN],
        [100, 1_000],
      ],
    },
  ],
  shaded: { from: 25, to: 50, name: 'away' },
});

test('a line goes through its points, at the end of the axis where they lie beyond it', () => {
  expect(chart).toContain('<path class="line s1" d="M76 344L406 214L736 84"/>');
  expect(chart).toContain('<rect class="shade" x="241" y="84" width="165" height="260"/>');
});

test('what is written on it is text, whatever it says, and can be read on light and on dark', () => {
  expect(chart).toContain('>Waits &amp; &lt;limits&gt;</text>');
  expect(chart).toContain('prefers-color-scheme:dark');
  expect(chart.match(/<(?:text|rect|path|style)\b/g)?.length).toBeGreaterThan(15);
});
