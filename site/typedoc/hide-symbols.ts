import { type Application, type Context, Converter } from 'typedoc';

/** Leaves out members that are named by a symbol, such as the brand of an error: callers do not use their names. */
export const hideSymbols = ({ converter }: Application): void => {
  converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }: Context) => {
    const named = Object.values(project.reflections).filter(({ name }) => /^\[.+\]$/.test(name));
    for (const reflection of named) project.removeReflection(reflection);
  });
};
