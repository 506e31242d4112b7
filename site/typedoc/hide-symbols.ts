import { type Application, type Context, Converter } from 'typedoc';

/** Leaves members out that are named by a symbol, such as the brand of an error: nobody calls them by their name. */
export const hideSymbols = ({ converter }: Application): void => {
  converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }: Context) => {
    const named = Object.values(project.reflections).filter(({ name }) => /^\[.+\]$/.test(name));
    for (const reflection of named) project.removeReflection(reflection);
  });
};
