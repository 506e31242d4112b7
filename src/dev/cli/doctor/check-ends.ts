import { type Checked, findingsAbout } from '../../../phone-call/check/findings.ts';
import { endPhrase, endsWithin } from '../platforms/ends.ts';
import type { Platform } from '../platforms/platform.ts';

/** Returns warnings about parts of a platform that these requests use and that end within half a year. */
export const endWarnings = (
  api: string,
  { platform, sent }: { readonly platform: Platform; readonly sent: readonly string[] },
  today: Date = new Date(),
): readonly Checked[] =>
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
