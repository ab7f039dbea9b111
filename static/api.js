/* The page of the interface for programs: Swagger UI on this server's own description. Nothing is asked of another host. */
addEventListener("DOMContentLoaded", () => {
  "use strict";
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const paint = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
  dark.addEventListener("change", paint);
  paint();
  const place = document.getElementById("api");
  window.SwaggerUIBundle({
    url: place.dataset.description,
    domNode: place,
    deepLinking: true,
    defaultModelsExpandDepth: 0,
    docExpansion: "list",
    validatorUrl: null,
    presets: [window.SwaggerUIBundle.presets.apis],
  });
});
