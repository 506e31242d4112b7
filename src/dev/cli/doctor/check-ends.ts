import { endPhrase, endsWithin } from '../platforms/ends.ts';
import type { Platform } from '../platforms/platform.ts';
import { type Finding, findingsAbout } from './finding.ts';

/** What these requests use of a platform that ends within half a year. */
export const endWarnings = (
  api: string,
  { platform, sent }: { readonly platform: Platform; readonly sent: readonly string[] },
  today: Date = new Date(),
): readonly Finding[] =>
  endsWithin(warningDays, platform.ends, today)
    .filter(({ inRequest }) => inRequest && sent.some((request) => inRequest.test(request)))
    .map((end) =>
      findingsAbout(api).warning(
        'end',
        `${platform.title}: ${end.what} ${endPhrase(end, today)}`,
        `use ${end.instead}; see docs/${platform.page} and ${end.source.url}`,
      ),
    );

const warningDays = 180;
