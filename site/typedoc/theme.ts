import { DefaultTheme } from 'typedoc';

/** typedoc's own theme without its navigation, which a script would draw: ours is part of each page. */
export class SiteTheme extends DefaultTheme {
  override buildNavigation() {
    return [];
  }
}
