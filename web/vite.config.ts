import react from "@vitejs/plugin-react";
import { fileURLToPath } from "node:url";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { defineConfig, type Plugin } from "vite";
import { VitePWA } from "vite-plugin-pwa";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The text face is needed for the first paint, so the page asks for it before the style sheet does. */
function preloadTextFace(): Plugin {
  return {
    name: "silas-preload-text-face",
    transformIndexHtml: {
      order: "post",
      handler: (_html, context) =>
        Object.keys(context.bundle ?? {})
          .filter((name) => /hanken-grotesk-latin-wght-normal.*\.woff2$/.test(name))
          .map((name) => ({
            tag: "link",
            attrs: { rel: "preload", href: `/${name}`, as: "font", type: "font/woff2", crossorigin: "" },
            injectTo: "head",
          })),
    },
  };
}

const LAYERS = "@layer tokens,base,parts,surfaces;";

/** Style sheets arrive in any order; each names the layers, so that the first one to arrive settles their order. */
function nameLayers(): Plugin {
  return {
    name: "silas-name-layers",
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type === "asset" && file.fileName.endsWith(".css")) file.source = `${LAYERS}${String(file.source)}`;
      }
    },
  };
}

/** Compresses once, at build time; the server sends the form the browser takes. */
function compress(): Plugin {
  const folder = at("dist");
  return {
    name: "silas-compress",
    apply: "build",
    enforce: "post",
    closeBundle: {
      order: "post",
      sequential: true,
      async handler() {
        const names = await readdir(folder, { recursive: true });
        for (const name of names.filter((each) => /\.(js|css|html|svg|webmanifest)$/.test(each))) {
          const bytes = await readFile(join(folder, name));
          const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
          await writeFile(join(folder, `${name}.br`), brotliCompressSync(bytes, quality));
          await writeFile(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }));
        }
      },
    },
  };
}

export default defineConfig({
  root: at("."),
  publicDir: at("public"),
  cacheDir: at("../node_modules/.vite-web"),
  build: {
    outDir: at("dist"),
    emptyOutDir: true,
    target: "es2022",
    // Everything is a file of its own: the page's policy allows neither inline scripts, styles nor data: fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The core does nothing when it is read, so that what of it no page uses is left out.
    rolldownOptions: { treeshake: { moduleSideEffects: [{ test: /[\\/]src[\\/]core[\\/]/, sideEffects: false }] } },
  },
  plugins: [
    react(),
    preloadTextFace(),
    nameLayers(),
    VitePWA({
      strategies: "generateSW",
      registerType: "prompt",
      injectRegister: null,
      manifest: {
        id: "/",
        name: "Silas",
        short_name: "Silas",
        description: "Your journal, tasks and day on your own machine.",
        start_url: "/",
        scope: "/",
        display: "standalone",
        background_color: "#f9f6f2",
        theme_color: "#f9f6f2",
        icons: [
          { src: "/icons/icon-192.png", sizes: "192x192", type: "image/png" },
          { src: "/icons/icon-512.png", sizes: "512x512", type: "image/png" },
          { src: "/icons/maskable-512.png", sizes: "512x512", type: "image/png", purpose: "maskable" },
        ],
        shortcuts: [
          { name: "Capture", url: "/?capture=task" },
          { name: "Today", url: "/tasks?view=today" },
        ],
      },
      workbox: {
        globPatterns: ["**/*.{html,js,css,woff2,svg,png,webmanifest}"],
        navigateFallback: "/index.html",
        // Only the shell is cached. Answers of the server never are: the page keeps what it read in its own database.
        navigateFallbackDenylist: [/^\/api\//, /^\/session/, /^\/sessions/, /^\/ws/, /^\/health/],
        runtimeCaching: [],
        cleanupOutdatedCaches: true,
        sourcemap: false,
      },
    }),
    compress(),
  ],
});
