import { installPackage } from '../../../test/support/install-package.ts';

export const setup = (): Promise<void> => installPackage(new URL('../', import.meta.url));
