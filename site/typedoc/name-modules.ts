import { type Application, type Context, Converter, type DeclarationReflection, ReflectionKind } from 'typedoc';
import { fileURLToPath } from 'node:url';
import type { Subpath } from '../../scripts/subpaths.js';

/** Calls each module what it is imported as, instead of by its file. */
export const nameModules = ({ converter }: Application, subpaths: readonly Subpath[]): void => {
  const specifiers = new Map(subpaths.map(({ specifier, source }) => [fileURLToPath(source), specifier]));
  converter.on(Converter.EVENT_CREATE_DECLARATION, (context: Context, reflection: DeclarationReflection) => {
    if (!reflection.kindOf(ReflectionKind.Module)) return;
    const [file] = context.getSymbolFromReflection(reflection)?.declarations ?? [];
    reflection.name = (file && specifiers.get(file.getSourceFile().fileName)) ?? reflection.name;
  });
};
