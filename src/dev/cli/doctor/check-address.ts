import { IntegrationError } from '../../../core/errors.ts';
import type { Integration } from '../../../integration.ts';
import { type Finding, findingsAbout } from './finding.ts';
import type { Recorder } from './recorder.ts';

/**
 * Corrects the findings about a billing API with a wrong address, which looks like one without this customer: both answer
 * 404. An API that gives a path that can't exist the same answer as its own paths, or the dialect's, knows none of them.
 */
export const checkBillingAddress = async (
  { billing }: Integration,
  recorder: Recorder,
  findings: readonly Finding[],
): Promise<readonly Finding[]> => {
  const invoices = recorder.absent('billing.invoices.listOpen');
  if (invoices === undefined) return findings;
  await billing
    .request({ operation: nowhere, method: 'GET', path: 'a-path-that-does-not-exist', returns: (json) => json })
    .catch((error: unknown) => {
      if (!(error instanceof IntegrationError)) throw error;
    });
  if (invoices !== recorder.absent(nowhere)) return findings;
  if (recorder.absent('billing.customers.find') === invoices)
    return [
      findingsAbout('billing').problem(
        'reachable',
        'the API answers 404 to everything',
        "compare billing.baseUrl and billing.version with the API's",
      ),
    ];
  return findings.filter(({ message }) => message !== 'invoices can be read');
};

const nowhere = 'billing.address';
