import { installPackage } from '../support/install-package.ts';

export const setup = (): Promise<void> => installPackage(new URL('.', import.meta.url));
