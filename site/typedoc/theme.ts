import { DefaultTheme, type Models, ReflectionKind } from 'typedoc';

/** typedoc's own theme, whose navigation holds what can be imported; the hand-written pages stand above it. */
export class SiteTheme extends DefaultTheme {
  override buildNavigation(project: Models.ProjectReflection) {
    return super
      .buildNavigation(project)
      .filter(({ kind }) => kind === ReflectionKind.Module)
      .map((module) => ({ ...module, text: module.text.replace(`${project.name}/`, '') }));
  }
}
