import { installPackage } from '../test/support/install-package.ts';

await installPackage(new URL('.', import.meta.url));
