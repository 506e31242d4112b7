/**
 * `node --import ./scripts/from-source.js FILE` runs TypeScript that imports this package by its name, without a build:
 * each public subpath leads to its source.
 */
import './check-node.js';
import nodeModule from 'node:module';
import { subpaths } from './subpaths.js';

const sources = new Map(subpaths.map(({ specifier, source }) => [specifier, source.href]));

nodeModule.registerHooks({
  resolve: (specifier, context, nextResolve) => nextResolve(sources.get(specifier) ?? specifier, context),
});
