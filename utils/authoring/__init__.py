"""What turns a chapter's source into notebooks, and proves its exercises; utils.authoring.building is the way in."""
